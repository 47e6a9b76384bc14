import Synchronization

/// A request and its outcome: the response, the time-out or the cancellation, whichever comes first.
///
/// Ownership: the state is behind one lock. The session may be stopped only while the exchange is in progress:
/// afterwards it may serve another one.
final class HTTPExchange: Sendable {
    typealias Outcome = Result<HTTPAnswer, HTTPFailure>

    private struct State {
        var session: CurlSession?
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    private let state = Mutex(State())

    /// Starts the exchange and waits for the outcome.
    func result(start: () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { return continuation.resume(returning: outcome) }
            start()
        }
    }

    /// - Returns: false if the exchange has ended already.
    func begin(_ session: CurlSession) -> Bool {
        state.withLock { state in
            if state.outcome == nil { state.session = session }
            return state.outcome == nil
        }
    }

    /// Ends the exchange with the session's outcome, unless it has ended. `free` is called first; the session may then
    /// be used again.
    func finish(_ outcome: Outcome, free: () -> Void) {
        end(outcome) { _ in free() }
    }

    /// Ends the exchange without a response, unless it has ended.
    func giveUp(_ failure: HTTPFailure) {
        end(.failure(failure)) { $0?.stop() }
    }

    private func end(_ outcome: Outcome, _ part: (CurlSession?) -> Void) {
        let continuation = state.withLock { state in
            guard state.outcome == nil else { return nil as CheckedContinuation<Outcome, Never>? }
            state.outcome = outcome
            // Under the lock, so that a session is not stopped after another exchange has started to use it.
            part(state.session.take())
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }
}
