import Glibc

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
