import Dispatch
import Synchronization

/// A sleep that wakes the process once, at its end; after `Task.sleep` the process wakes every second
/// (``TaskThreads``).
package enum Pause {
    private static let queue = DispatchQueue(label: "pauses")

    /// Waits for the given duration, or until the task is cancelled.
    /// - Throws: `CancellationError`, and nothing else.
    package static func sleep(for duration: Duration) async throws {
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
