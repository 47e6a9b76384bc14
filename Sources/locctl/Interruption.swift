import Glibc
import Synchronization
import SystemSupport

/// Ctrl-C, `kill` and the end of the terminal end a running command in good order instead of cutting it off.
enum Interruption {
    /// Runs `body` with a waker that wakes when the program is asked to end.
    ///
    /// Asked once more it ends at once: who waits for a reader that takes nothing hears no waker. The end of a terminal
    /// does not count, for it is told by several, and beside a `kill`.
    static func heeded(_ body: (Waker) throws -> Void) throws {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let request = Request()
        try Signals.take([SIGINT, SIGTERM] + (Signals.isIgnored(SIGHUP) ? [] : [SIGHUP])) { number in
            if number != SIGHUP, !request.isFirst() { Signals.end(by: number) }
            waker.wake()
        }
        try body(waker)
    }

    /// Whether the program was asked, for the thread that takes the signals.
    private final class Request: Sendable {
        private let isMade = Mutex(false)

        /// - Returns: false from the second time on.
        func isFirst() -> Bool {
            isMade.withLock { isMade in
                defer { isMade = true }
                return !isMade
            }
        }
    }
}
