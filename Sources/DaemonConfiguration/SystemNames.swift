import Glibc
import StrictTOML

/// The users and groups of the system, from wherever it has them.
///
/// A look-up waits for directory services, which may be slow, so it never belongs on an event loop.
package struct SystemNames: NameLookup {
    package init() {}

    package func uid(ofUser name: String) throws(NameLookupError) -> UInt32? {
        try find { room in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, &room, room.count, &found)
            return (code, found?.pointee.pw_uid)
        }
    }

    /// - Returns: `nil` if no user has the number.
    package func name(ofUser uid: UInt32) throws(NameLookupError) -> String? {
        try find { room in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwuid_r(uid, &entry, &room, room.count, &found)
            return (code, found?.pointee.pw_name.map { String(cString: $0) })
        }
    }

    package func gid(ofGroup name: String) throws(NameLookupError) -> UInt32? {
        try find { room in
            var entry = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            let code = getgrnam_r(name, &entry, &room, room.count, &found)
            return (code, found?.pointee.gr_gid)
        }
    }

    /// Bytes an entry may take up; groups have long lists of members.
    private static let largest = 1 << 22

    private func find<Value>(
        _ look: (inout [CChar]) -> (code: CInt, value: Value?)
    ) throws(NameLookupError) -> Value? {
        var size = 4096
        while true {
            var room = [CChar](repeating: 0, count: size)
            let (code, value) = look(&room)
            switch code {
            case 0: return value
            // Some services say so rather than answer with nothing.
            case ENOENT, ESRCH: return nil
            case EINTR: continue
            case ERANGE where size < Self.largest: size *= 2
            default: throw NameLookupError(TextFile.reason(code))
            }
        }
    }
}
