import CLinux
import Glibc

/// Wakes a thread that waits in `poll`, from any other thread. It stays woken until it is drained.
@_spi(Programs) public final class Waker: Sendable {
    @_spi(Programs) public let descriptor: Int32

    /// - Returns: `nil` if no descriptor is available.
    @_spi(Programs) public init?() {
        descriptor = clinux_eventfd()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    @_spi(Programs) public func wake() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Resets the woken state.
    @_spi(Programs) public func drain() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    @_spi(Programs) public var isWoken: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    @_spi(Programs) public enum Wait: Sendable {
        case ready
        case woken
        case timedOut
    }

    /// Waits until the other descriptor has one of `events`, this is woken, or the time is over.
    @_spi(Programs) public func wait(for other: Int32, events: Int32, seconds: Double) -> Wait {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(events), revents: 0),
        ]
        let milliseconds = Int32(max(0, min(3_600_000, (seconds * 1000).rounded(.up))))
        let count = poll(&entries, 2, milliseconds)
        if entries[0].revents != 0 { return .woken }
        // An interrupted poll counts as a time-out, because the caller checks its clock again.
        return count > 0 ? .ready : .timedOut
    }
}
