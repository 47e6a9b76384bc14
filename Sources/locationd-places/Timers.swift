import NIOCore

/// Calls back later, by the machine's time or by a test's.
struct Timers: Sendable {
    typealias Cancellation = @Sendable () -> Void

    /// Calls after so many seconds, from any thread, unless it is cancelled before.
    let after: @Sendable (_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> Cancellation

    static func machine(on loop: any EventLoop) -> Timers {
        Timers { seconds, body in
            let scheduled = loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9)), body)
            return { scheduled.cancel() }
        }
    }
}
