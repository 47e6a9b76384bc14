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
