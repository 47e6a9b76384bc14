import Synchronization
@_spi(Programs) import SystemSupport

/// Of equal queries at the same time one runs, and the others wait for its answer (``SingleFlight``). If it is
/// cancelled, one of the others runs.
///
/// Ownership: the state is behind one lock, which is held briefly.
final class SharedQueries<Answer: Sendable>: Sendable {
    private enum Turn {
        case run
        case finish(Result<Answer, PlacesError>)
        case tryAgain
    }

    private struct State {
        var flights = SingleFlight<String, UInt64, CheckedContinuation<Turn, Never>, Void>()
        var lastCaller: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The most queries that may wait for others.
    init(limit: Int = 256) {
        self.limit = limit
    }

    var waitingCount: Int { state.withLock { $0.flights.waiterCount } }

    /// The answer of an equal query that runs already, or else of `query`.
    func answer(
        to text: String, _ query: () async throws(PlacesError) -> Answer
    ) async throws(PlacesError) -> Answer {
        while true {
            switch await turn(for: text) {
            case .finish(let result): return try result.get()
            case .tryAgain: continue
            case .run:
                let result: Result<Answer, PlacesError>
                do { result = .success(try await query()) } catch { result = .failure(error) }
                finish(text, result)
                return try result.get()
            }
        }
    }

    private func turn(for text: String) async -> Turn {
        let caller = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn: Turn? = state.withLock { state in
                    if Task.isCancelled { return .finish(.failure(.cancelled)) }
                    if state.flights.start(text, ()) { return .run }
                    guard state.flights.waiterCount < limit else { return .finish(.failure(.busy(limit: limit))) }
                    state.flights.join(text, caller, continuation)
                    return nil
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            for waiter in state.withLock({ $0.flights.leave(text, caller) }) {
                waiter.resume(returning: .finish(.failure(.cancelled)))
            }
        }
    }

    private func finish(_ text: String, _ result: Result<Answer, PlacesError>) {
        let turn: Turn = if case .failure(.cancelled) = result { .tryAgain } else { .finish(result) }
        for waiter in state.withLock({ $0.flights.finish(text) }) { waiter.resume(returning: turn) }
    }
}
