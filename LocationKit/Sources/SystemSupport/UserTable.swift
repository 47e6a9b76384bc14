import Glibc

/// The users of this machine.
@_spi(Programs) public enum UserTable {
    /// - Returns: `nil` if no user has the number.
    @_spi(Programs) public static func name(of uid: UInt32) -> String? {
        find({ getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_name.map { String(cString: $0) } })
    }

    /// - Returns: `nil` if no user has the name.
    @_spi(Programs) public static func uid(of name: String) -> UInt32? {
        find({ getpwnam_r(name, $0, $1, $2, $3) }, { $0.pw_uid })
    }

    /// The users that the system enumerates; a directory service may not enumerate its own.
    @_spi(Programs) public static var names: [String] {
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
