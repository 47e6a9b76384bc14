import Dispatch
import Synchronization

/// Sleeps and timers that wake the process once, at their end; after `Task.sleep` the process wakes every second
/// (``TaskThreads``).
@_spi(Programs) public enum Pause {
    /// Ends a timer; of one that is over, it does nothing.
    @_spi(Programs) public typealias Cancellation = @Sendable () -> Void

    private static let queue = DispatchQueue(label: "pauses")

    /// Calls `body` once after so many seconds, on a thread of Dispatch, unless it is cancelled before.
    @_spi(Programs) public static func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> Cancellation
    {
        let timer = OneShotTimer()
        timer.start(after: seconds, on: queue, body)
        return { timer.cancel() }
    }

    /// A timer that a cancellation frees at once; `asyncAfter` keeps its block until the time has come.
    private final class OneShotTimer: Sendable {
        private let source = Mutex<(any DispatchSourceTimer)?>(nil)

        /// The handler retains the timer until it fires or is cancelled.
        func start(after seconds: Double, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
            source.withLock { source in
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.schedule(deadline: .now() + max(0, seconds))
                timer.setEventHandler {
                    self.cancel()
                    body()
                }
                timer.activate()
                source = timer
            }
        }

        func cancel() {
            source.withLock { source in
                source?.cancel()
                source = nil
            }
        }
    }

    /// Waits for the given duration, or until the task is cancelled.
    /// - Throws: `CancellationError`, and nothing else.
    @_spi(Programs) public static func sleep(for duration: Duration) async throws {
        let waiter = Waiter()
        let end = DispatchTime.now() + max(0, duration / .seconds(1))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard waiter.wait(continuation) else { return continuation.resume() }
                queue.asyncAfter(deadline: end) { waiter.end() }
            }
        } onCancel: {
            waiter.end()
        }
        try Task.checkCancellation()
    }

    private final class Waiter: Sendable {
        private struct State {
            var isOver = false
            var continuation: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())

        /// - Returns: false if the wait is already over.
        func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
            state.withLock { state in
                if !state.isOver { state.continuation = continuation }
                return !state.isOver
            }
        }

        func end() {
            let continuation = state.withLock { state in
                state.isOver = true
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume()
        }
    }
}
