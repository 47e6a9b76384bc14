import Glibc
import Logging
import SystemSupport

/// Ends the process if a service does not end in time: a disk may never answer.
enum EndingDeadline {
    /// Seconds from the request to end. Clients have five seconds to read the last reply and tasks five to finish, and
    /// systemd kills the process after 15 (`TimeoutStopSec=`).
    private static let timeout: UInt32 = 12

    /// Returns at once. A process that still runs after the timeout exits with code 1.
    static func start(logger: Logger) {
        // If no thread can be created, only systemd's deadline applies.
        _ = DetachedThread.start(named: "ending-deadline") {
            var left = timeout
            while left > 0 { left = sleep(left) }
            logger.critical(
                "the daemon exits without having written all state, because the disk does not respond",
                metadata: ["waited": "\(timeout) s", "advice": "check the disk of the state directory"])
            // _exit skips the handlers of exit(3), which could block too.
            _exit(1)
        }
    }
}
