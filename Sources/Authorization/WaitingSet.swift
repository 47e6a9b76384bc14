import CLinux
import Glibc

/// Descriptors that one thread waits for together, in the kernel's keeping.
///
/// Ownership: the set's own descriptor is this object's alone; what is in the set is not owned.
final class WaitingSet: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if no descriptor is left.
    init?() {
        descriptor = clinux_epoll()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// - Parameter once: whether the tag is told the first time alone.
    /// - Returns: false if it is in the set already or cannot be waited for.
    func add(_ other: Int32, as tag: UInt64, once: Bool) -> Bool {
        clinux_epoll_add(descriptor, other, tag, once ? 1 : 0) == 0
    }

    /// Waits until something in the set can be read.
    ///
    /// - Returns: the tags of what can, or `nil` if there is nothing to wait with.
    func wait() -> [UInt64]? {
        var tags = [UInt64](repeating: 0, count: 64)
        while true {
            let count = clinux_epoll_wait(descriptor, &tags, Int32(tags.count))
            if count >= 0 { return Array(tags.prefix(Int(count))) }
            guard errno == EINTR else { return nil }
        }
    }
}
