/// Names of users, each looked up once, also one that nobody has: a name service may take its time, and a screen that
/// asks over and over waits for it each time.
struct UserNameCache {
    private let lookUp: (UInt32) -> String?
    private var known: [UInt32: String?] = [:]

    init(_ lookUp: @escaping (UInt32) -> String? = { UserTable.name(of: $0) }) {
        self.lookUp = lookUp
    }

    /// The principal with the name of the user it means.
    mutating func words(_ principal: String) -> String {
        PrincipalText.words(principal) { uid in
            if let name = known[uid] { return name }
            let name = lookUp(uid)
            known[uid] = .some(name)
            return name
        }
    }
}
