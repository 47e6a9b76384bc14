import Dispatch
import Glibc
import Machine

/// Ctrl-C and `kill` end a running command in good order instead of cutting it off.
enum Interruption {
    /// Runs `body` with a waker that wakes when the program is asked to end.
    static func heeded(_ body: (Waker) throws -> Void) throws {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { waker.wake() }
            source.resume()
            return source
        }
        try withExtendedLifetime(sources) { try body(waker) }
    }
}
