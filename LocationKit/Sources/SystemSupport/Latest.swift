import Synchronization

/// A value of which waiters need only the newest version.
///
/// Ownership: value and waiters are behind one lock; waiters are resumed outside it. Setters run on threads that must
/// not block, hence a `Mutex` and no actor.
@_spi(Programs) public final class Latest<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 1
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state: Mutex<State>

    @_spi(Programs) public init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The value and its version number, from 1.
    @_spi(Programs) public var current: (value: Value, version: Int) {
        state.withLock { ($0.value, $0.version) }
    }

    @_spi(Programs) public func change(_ body: (inout Value) -> Void) {
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
    @_spi(Programs) public func change(after seen: Int) async -> Int {
        let ticket = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A cancellation before this line had no waiter to resume.
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
