import Glibc

/// A copy of a file descriptor that came with a message.
///
/// Ownership: the descriptor belongs to this object alone, and is closed with it.
package final class BusDescriptor: Sendable, Hashable {
    private let descriptor: Int32

    /// - Returns: `nil` if no descriptor is left.
    package init?(copying other: Int32) {
        descriptor = fcntl(other, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
    }

    /// Whether it can be read without waiting; that of a process can when the process has ended.
    package var isReadable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    package static func == (lhs: BusDescriptor, rhs: BusDescriptor) -> Bool { lhs === rhs }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
