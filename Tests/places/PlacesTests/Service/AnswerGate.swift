import Synchronization

/// Where answers wait until the test lets them go, or nobody wants them any more.
final class AnswerGate: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled = 0
    }

    private let state = Mutex(State())

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiting.count } }
    /// How many were called off while they waited.
    var cancelled: Int { state.withLock { $0.cancelled } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiter in waiting { waiter.resume() }
    }

    /// - Parameter heedsCancellation: whether it goes on when nobody wants the answer any more.
    func pass(heedsCancellation: Bool = true) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    if state.isOpen || heedsCancellation && Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.cancelled += 1
                return heedsCancellation ? state.waiting.removeValue(forKey: ticket) : nil
            }
            waiter?.resume()
        }
    }
}
