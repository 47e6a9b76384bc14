import Synchronization

/// Single flight: of equal queries at the same time one runs, and the others wait for its answer. If it is cancelled,
/// one of the others runs.
///
/// Ownership: the state is behind one lock, which is held briefly.
final class SharedQuestions<Answer: Sendable>: Sendable {
    private enum Part {
        case ask
        case take(Result<Answer, PlacesError>)
        case tryAgain
    }

    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Part, Never>
    }

    private struct State {
        /// The waiters of each query; an entry exists as long as the query runs.
        var waiting: [String: [Waiter]] = [:]
        var waitingCount = 0
        var nextNumber: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The most queries that may wait for others.
    init(limit: Int = 256) {
        self.limit = limit
    }

    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// The answer of an equal query that runs already, or else of `ask`.
    func answer(
        to question: String, _ ask: () async throws(PlacesError) -> Answer
    ) async throws(PlacesError) -> Answer {
        while true {
            switch await part(in: question) {
            case .take(let result): return try result.get()
            case .tryAgain: continue
            case .ask:
                let result: Result<Answer, PlacesError>
                do { result = .success(try await ask()) } catch { result = .failure(error) }
                deliver(question, result)
                return try result.get()
            }
        }
    }

    private func part(in question: String) async -> Part {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let part: Part? = state.withLock { state in
                    if Task.isCancelled { return .take(.failure(.cancelled)) }
                    guard state.waiting[question] != nil else {
                        state.waiting[question] = []
                        return .ask
                    }
                    guard state.waitingCount < limit else { return .take(.failure(.busy(limit: limit))) }
                    state.waiting[question]?.append(Waiter(number: number, continuation: continuation))
                    state.waitingCount += 1
                    return nil
                }
                if let part { continuation.resume(returning: part) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiting[question]?.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                state.waitingCount -= 1
                return state.waiting[question]?.remove(at: index)
            }
            waiter?.continuation.resume(returning: .take(.failure(.cancelled)))
        }
    }

    private func deliver(_ question: String, _ result: Result<Answer, PlacesError>) {
        let waiters = state.withLock { state in
            let waiters = state.waiting.removeValue(forKey: question) ?? []
            state.waitingCount -= waiters.count
            return waiters
        }
        let part: Part = if case .failure(.cancelled) = result { .tryAgain } else { .take(result) }
        for waiter in waiters { waiter.continuation.resume(returning: part) }
    }
}
