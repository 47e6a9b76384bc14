import Glibc
import SystemSupport

/// The work of the `login-watch` thread: tells of changes until woken, and sleeps while there are none.
struct LoginWatch: Sendable {
    enum End {
        case woken
        case failed
    }

    let monitor: LoginMonitor
    let waker: Waker
    let changed: @Sendable () -> Void

    /// Returns when woken, or when changes can be seen no more.
    func run() -> End {
        while true {
            var entries = [
                pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: monitor.descriptor, events: monitor.events, revents: 0),
            ]
            let count = poll(&entries, 2, monitor.patience)
            if count < 0, errno == EINTR { continue }
            if entries[0].revents != 0 { return .woken }
            // What comes after the flush makes the descriptor readable again: taking first and telling then loses
            // nothing. A watch whose time is over counts as a change, for libsystemd to say why.
            let isBroken = Int32(entries[1].revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
            guard count >= 0, !isBroken, monitor.flush() else { return .failed }
            if waker.isWoken { return .woken }
            changed()
        }
    }
}
