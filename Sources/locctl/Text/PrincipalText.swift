import Glibc

/// Principals as a person knows them.
enum PrincipalText {
    /// The principal with the name of the user it means, as in `uid:1000 (alice)`.
    static func words(_ principal: String) -> String {
        words(principal) { UserTable.name(of: $0) }
    }

    /// - Parameter name: finds a user's.
    static func words(_ principal: String, _ name: (UInt32) -> String?) -> String {
        guard principal.hasPrefix("uid:"), let uid = UInt32(principal.dropFirst(4)), let name = name(uid)
        else { return principal }
        return "\(principal) (\(name))"
    }

    /// Whoever runs this program, as the daemon sees it.
    static var caller: String { "uid:\(geteuid())" }

    /// Why nothing can be said or changed about a principal.
    static func unknown(_ principal: String) -> Failure {
        let message =
            principal.hasPrefix("user:")
            ? "there is no user \(principal.dropFirst(5)) on this machine, or nothing is known about that user"
            : "nothing is known about \(words(principal))"
        return Failure(code: ExitCodes.failed, message: "\(message); `locctl authorizations` lists who is known")
    }
}

/// The users of this machine.
enum UserTable {
    /// - Returns: `nil` for a number that no user has.
    static func name(of uid: UInt32) -> String? {
        find({ getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_name.map { String(cString: $0) } })
    }

    /// - Returns: `nil` for a name that no user has.
    static func uid(of name: String) -> UInt32? {
        find({ getpwnam_r(name, $0, $1, $2, $3) }, { $0.pw_uid })
    }

    /// Those the machine lists, which a directory service may not do with its own.
    static var names: [String] {
        var names: [String] = []
        setpwent()
        defer { endpwent() }
        while let entry = getpwent() { if let name = entry.pointee.pw_name { names.append(String(cString: name)) } }
        return names
    }

    private typealias LookUp = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32

    /// - Parameter read: takes what is wanted out of an entry, whose text does not outlive the call.
    private static func find<Value>(_ lookUp: LookUp, _ read: (passwd) -> Value?) -> Value? {
        var size = 1024
        // An entry that does not fit asks for more room, within reason.
        while size <= 1 << 20 {
            var code: Int32 = 0
            let value = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> Value? in
                guard let base = buffer.baseAddress else { return nil }
                var entry = passwd()
                var found: UnsafeMutablePointer<passwd>?
                code = lookUp(&entry, base, buffer.count, &found)
                return code == 0 && found != nil ? read(entry) : nil
            }
            guard code == ERANGE else { return value }
            size *= 4
        }
        return nil
    }
}

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
