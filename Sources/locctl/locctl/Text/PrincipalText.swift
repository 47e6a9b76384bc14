import Glibc
@_spi(Programs) import SystemSupport

/// Principals for a person to read.
enum PrincipalText {
    /// The principal with the user's name, as in `uid:1000 (alice)`.
    static func words(_ principal: String) -> String {
        words(principal) { UserTable.name(of: $0) }
    }

    /// - Parameter name: looks up a user's name.
    static func words(_ principal: String, _ name: (UInt32) -> String?) -> String {
        guard principal.hasPrefix("uid:"), let uid = UInt32(principal.dropFirst(4)), let name = name(uid)
        else { return principal }
        return "\(principal) (\(name))"
    }

    /// The principal of the caller.
    static var caller: String { "uid:\(geteuid())" }

    /// The error for an unknown principal: a user who does not exist, or a principal without requests and decisions.
    ///
    /// - Parameter uid: looks up a user's number.
    static func unknown(_ principal: String, uid: (String) -> UInt32? = { UserTable.uid(of: $0) }) -> Failure {
        let name = principal.hasPrefix("user:") ? String(principal.dropFirst(5)) : nil
        let message =
            if let name, uid(name) == nil {
                "there is no user \(name) on this machine; `getent passwd` lists the users"
            } else {
                "nothing is known about \(name.map { "the user \($0)" } ?? words(principal)); "
                    + "`locctl authorizations` lists the known principals"
            }
        return Failure(code: ExitCodes.failed, message: message)
    }
}

/// Caches the names of users, including unknown ones: a name service may be slow, and the live view looks names up
/// repeatedly.
struct UserNameCache {
    private let lookUp: (UInt32) -> String?
    private var known: [UInt32: String?] = [:]

    init(_ lookUp: @escaping (UInt32) -> String? = { UserTable.name(of: $0) }) {
        self.lookUp = lookUp
    }

    /// The principal with the user's name.
    mutating func words(_ principal: String) -> String {
        PrincipalText.words(principal) { uid in
            if let name = known[uid] { return name }
            let name = lookUp(uid)
            known[uid] = .some(name)
            return name
        }
    }
}
