@_spi(Programs) import LocationModel
import Places
import Synchronization
@_spi(Programs) import SystemSupport

/// Returns the first of an answer, a time-out and a cancellation. The caller never waits for the losers: an operation
/// that ignores its cancellation may continue alone.
///
/// Ownership: everything is behind one lock; the waiter is resumed outside it, exactly once.
final class Race: Sendable {
    typealias Outcome = Result<[Placemark], PlacesError>

    private struct State {
        var outcome: Outcome?
        var waiter: CheckedContinuation<Void, Never>?
        var end: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    private init() {}

    /// - Parameters:
    ///   - seconds: the time-out; `nil` for none.
    ///   - operation: cancelled if it loses.
    static func answer(
        within seconds: Double?, by clock: ServiceClock,
        _ operation: @escaping @Sendable () async throws(PlacesError) -> [Placemark]
    ) async throws(PlacesError) -> [Placemark] {
        let race = Race()
        let outcome = await withTaskCancellationHandler {
            let task = Task {
                do throws(PlacesError) {
                    race.finish(.success(try await operation()))
                } catch {
                    race.finish(.failure(error))
                }
            }
            race.atEnd { task.cancel() }
            if let seconds {
                let cancel = clock.after(seconds) {
                    race.finish(.failure(.network("there was no answer within \(seconds) s; try again later")))
                }
                race.atEnd(cancel)
            }
            return await race.wait()
        } onCancel: {
            race.finish(.failure(.cancelled))
        }
        return try outcome.get()
    }

    private func atEnd(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.outcome == nil { state.end.append(body) }
            return state.outcome != nil
        }
        if isOver { body() }
    }

    private func finish(_ outcome: Outcome) {
        let past: State? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            defer { state = State(outcome: outcome) }
            return state
        }
        for body in past?.end ?? [] { body() }
        past?.waiter?.resume()
    }

    private func wait() async -> Outcome {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.outcome == nil { state.waiter = continuation }
                return state.outcome != nil
            }
            if isOver { continuation.resume() }
        }
        return state.withLock { $0.outcome } ?? .failure(.cancelled)
    }
}
