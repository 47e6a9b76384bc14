import Glibc
import Logging
import SystemSupport

/// Ends the process although something it waits for does not: a disk may never answer.
enum EndingDeadline {
    /// Seconds from the request to end. Clients have five to read the last reply and tasks five to finish, and systemd
    /// kills after 15 (`TimeoutStopSec=`).
    private static let patience: UInt32 = 12

    /// Returns at once. A process that is still there after the patience ends with code 1.
    static func start(logger: Logger) {
        // Where no thread is to be had there is no deadline but systemd's.
        _ = DetachedThread.start(named: "ending-deadline") {
            var left = patience
            while left > 0 { left = sleep(left) }
            logger.critical(
                "the daemon ends without having kept everything, because the disk does not answer",
                metadata: ["waited": "\(patience) s", "advice": "look after the disk of the state directory"])
            // Without the handlers of exit(3), which could wait too.
            _exit(1)
        }
    }
}
