import Synchronization

/// A value that changes, and of which only the newest state matters to who waits for it.
///
/// Ownership: value and waiters lie behind one lock; waiters are resumed outside it. Setters are on threads that must
/// not wait, hence a `Mutex` and no actor.
final class Latest<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 1
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The value and the number of its version, from 1.
    var current: (value: Value, version: Int) {
        state.withLock { ($0.value, $0.version) }
    }

    func change(_ body: (inout Value) -> Void) {
        let waiters = state.withLock { state in
            body(&state.value)
            state.version += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until there is a version after `seen`, or the task is cancelled.
    /// - Returns: the number of the present version.
    func change(after seen: Int) async -> Int {
        let ticket = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A cancellation that came before this line has found nobody to wake.
                    guard state.version <= seen, !Task.isCancelled else { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
        return current.version
    }
}
