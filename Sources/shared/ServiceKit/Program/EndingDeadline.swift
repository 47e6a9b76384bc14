import Glibc
package import Logging
@_spi(Programs) import SystemSupport

/// Ends the process if a service does not end in time: a disk may never answer.
package enum EndingDeadline {
    /// Returns at once. A process that still runs after so many seconds says why, and exits with code 1.
    package static func start(_ timeout: UInt32, logger: Logger, message: Logger.Message, advice: String) {
        // If no thread can be created, only systemd's deadline applies.
        _ = DetachedThread.start(named: "ending-deadline") {
            var left = timeout
            while left > 0 { left = sleep(left) }
            logger.critical(message, metadata: ["waited": "\(timeout) s", "advice": "\(advice)"])
            // _exit skips the handlers of exit(3), which could block too.
            _exit(1)
        }
    }
}
