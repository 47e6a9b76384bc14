import Glibc
import ProgramTestSupport
import Synchronization

/// Descriptors one after the other, as systemd passes them, and not closed on exec.
final class PassedDescriptors {
    let first: Int32
    private let count: Int

    /// - Parameter originals: what to pass; -1 leaves a gap. They are moved, not copied.
    init(_ originals: [Int32]) throws {
        count = originals.count
        // Where nobody else opens any, for the other tests of this process open theirs as low as they can.
        first = Self.next()
        for (index, original) in originals.enumerated() where original >= 0 {
            let target = first + Int32(index)
            guard fcntl(target, F_GETFD) < 0, dup2(original, target) == target else {
                throw Failure("descriptor \(target) is not to be had")
            }
            close(original)
        }
    }

    deinit {
        for descriptor in first..<first + Int32(count) { close(descriptor) }
    }

    /// The descriptor's flags; `nil` if it is closed.
    func flags(_ index: Int) -> Int32? {
        let flags = fcntl(first + Int32(index), F_GETFD)
        return flags < 0 ? nil : flags
    }

    private static func next() -> Int32 {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(7), &limit)
        return slots.withLock { slots in
            slots += 1
            return Int32(clamping: limit.rlim_cur) - 8 * slots
        }
    }

    private static let slots = Mutex<Int32>(0)
}

/// A socket bound to a path, or to a name after `@`.
func unixSocket(_ name: String, _ type: __socket_type, listens: Bool) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if name.hasPrefix("@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(2 + bytes.count)) }
    }
    guard code == 0, !listens || listen(descriptor, 8) == 0 else { throw Failure("\(name): \(errno)") }
    return descriptor
}
