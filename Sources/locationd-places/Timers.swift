import VarlinkServer

/// One-shot timers, by the machine's clock or by a test's.
struct Timers: Sendable {
    typealias Cancellation = @Sendable () -> Void

    /// Calls `body` after so many seconds, from any thread, unless it is cancelled before.
    let after: @Sendable (_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> Cancellation

    static func machine(on loop: ServiceLoop) -> Timers {
        Timers { seconds, body in
            let scheduled = loop.execute(after: seconds, body)
            return { scheduled.cancel() }
        }
    }
}
