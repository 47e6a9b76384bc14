import Synchronization

/// A question and its one end: the answer, the time-out or the cancellation, whichever comes first.
///
/// Ownership: the state lies behind one lock. The session is there to be stopped as long as the exchange runs: after its
/// end it may serve another.
final class HTTPExchange: Sendable {
    typealias Outcome = Result<HTTPAnswer, HTTPFailure>

    private struct State {
        var session: CurlSession?
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    private let state = Mutex(State())

    /// Begins, and waits for the end.
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

    /// - Returns: false if it is over already.
    func begin(_ session: CurlSession) -> Bool {
        state.withLock { state in
            if state.outcome == nil { state.session = session }
            return state.outcome == nil
        }
    }

    /// Ends it by what the session said, if it is not over. The session is free from then on, which `free` is told first.
    func finish(_ outcome: Outcome, free: () -> Void) {
        end(outcome) { _ in free() }
    }

    /// Ends it without an answer, if it is not over.
    func giveUp(_ failure: HTTPFailure) {
        end(.failure(failure)) { $0?.stop() }
    }

    private func end(_ outcome: Outcome, _ part: (CurlSession?) -> Void) {
        let continuation = state.withLock { state in
            guard state.outcome == nil else { return nil as CheckedContinuation<Outcome, Never>? }
            state.outcome = outcome
            // Under the lock, so that no session is stopped that serves another by then.
            part(state.session.take())
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }
}
