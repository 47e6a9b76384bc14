import Glibc

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

    /// The error for an unknown principal.
    static func unknown(_ principal: String) -> Failure {
        let message =
            principal.hasPrefix("user:")
            ? "there is no user \(principal.dropFirst(5)) on this machine, or nothing is known about that user"
            : "nothing is known about \(words(principal))"
        return Failure(
            code: ExitCodes.failed, message: "\(message); `locctl authorizations` lists the known principals")
    }
}

/// The users of this machine.
enum UserTable {
    /// - Returns: `nil` if no user has the number.
    static func name(of uid: UInt32) -> String? {
        find({ getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_name.map { String(cString: $0) } })
    }

    /// - Returns: `nil` if no user has the name.
    static func uid(of name: String) -> UInt32? {
        find({ getpwnam_r(name, $0, $1, $2, $3) }, { $0.pw_uid })
    }

    /// The users that the system enumerates; a directory service may not enumerate its own.
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

    /// - Parameter read: reads a value from an entry, whose strings do not outlive the call.
    private static func find<Value>(_ lookUp: LookUp, _ read: (passwd) -> Value?) -> Value? {
        var size = 1024
        // An entry that does not fit needs a larger buffer, up to a limit.
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
