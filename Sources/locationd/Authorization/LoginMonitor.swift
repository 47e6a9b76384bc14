import CSystemd
import Glibc
import Synchronization
@_spi(Programs) import SystemSupport

/// libsystemd's monitor of the login manager's records of users: a descriptor that is readable after a change.
final class LoginMonitor: Sendable {
    let descriptor: Int32
    private let functions: csystemd
    /// Behind a lock, because only one thread at a time may use it; the lock is never contended.
    private let handle: Mutex<OpaquePointer>

    /// - Returns: `nil` if the login manager has no records (it has not run since boot), or if no descriptor is left.
    init?(_ functions: csystemd) {
        var handle: OpaquePointer?
        guard let code = functions.login_monitor_new?("uid", &handle), code >= 0, let handle else { return nil }
        self.functions = functions
        descriptor = functions.login_monitor_get_fd?(handle) ?? -1
        self.handle = Mutex(handle)
        // From here on deinit releases the handle.
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        handle.withLock { _ = functions.login_monitor_unref?($0) }
    }

    /// The events to poll for.
    var events: Int16 {
        let events = handle.withLock { functions.login_monitor_get_events?($0) } ?? -1
        return events > 0 ? Int16(truncatingIfNeeded: events) : Int16(POLLIN)
    }

    /// The poll(2) time-out in milliseconds, rounded up; -1 for none.
    var patience: Int32 {
        var deadline = UInt64.max
        let code = handle.withLock { functions.login_monitor_get_timeout?($0, &deadline) } ?? -1
        guard code >= 0, deadline < .max else { return -1 }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        guard deadline > microseconds else { return 0 }
        let milliseconds = (deadline - microseconds - 1) / 1000 + 1
        return Int32(clamping: milliseconds)
    }

    /// Consumes the pending changes.
    ///
    /// - Returns: false if that failed; the descriptor then stays readable and reports no further changes.
    func flush() -> Bool {
        (handle.withLock { functions.login_monitor_flush?($0) } ?? -1) >= 0
    }
}

/// The work of the `login-watch` thread: reports changes until it is woken.
struct LoginWatch: Sendable {
    enum End {
        case woken
        case failed
    }

    let monitor: LoginMonitor
    let waker: Waker
    let changed: @Sendable () -> Void

    /// Returns when woken, or when changes can no longer be observed.
    func run() -> End {
        while true {
            var entries = [
                pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: monitor.descriptor, events: monitor.events, revents: 0),
            ]
            let count = poll(&entries, 2, monitor.patience)
            if count < 0, errno == EINTR { continue }
            if entries[0].revents != 0 { return .woken }
            // A change after the flush makes the descriptor readable again, so flushing before reporting loses nothing.
            // A time-out counts as a change; libsystemd handles its cause in the flush.
            let isBroken = Int32(entries[1].revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
            guard count >= 0, !isBroken, monitor.flush() else { return .failed }
            if waker.isWoken { return .woken }
            changed()
        }
    }
}
