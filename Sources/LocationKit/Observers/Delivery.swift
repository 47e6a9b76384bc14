public import Dispatch

/// Where handlers run.
public struct Delivery: Sendable {
    /// Runs the block it is given once, soon; blocks given one after the other run in that order, never two at once.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Any other place: `run` is given blocks and must run each once, in their order, never two at once.
    public init(run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// On the thread that brings the news, at once. A handler that takes long holds up what this process hears.
    public static let immediate = Delivery { $0() }

    /// On the main queue: the main actor's, which `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main`
    /// serve.
    public static let main = Delivery.queue(.main)

    /// On a dispatch queue, which has to be serial.
    public static func queue(_ queue: DispatchQueue) -> Delivery {
        Delivery { block in queue.async(execute: block) }
    }
}
