@_spi(Programs) import LocationModel
import Synchronization

/// The part of a geocoder that outlives it while a request is pending.
///
/// Ownership: everything is in `state`, under its lock, which is never held while the service or a completion is
/// called. Only the thread that removes the pending request calls its completion, so it is called once: with the
/// service's answer, or with a cancellation.
final class GeocoderCore: Sendable {
    typealias Answer = @Sendable (Result<[Placemark], GeocodingError>) -> Void

    private struct Pending {
        let id: Int
        let request: GeocodingRequest
        let answer: Answer
        /// `nil` until the service has been called.
        var call: (any CancellableCall)?
    }

    private struct State {
        var pending: Pending?
        var cache = PlacemarkCache()
        var lastID = 0

        mutating func removePending(_ id: Int?) -> Pending? {
            guard let pending, id == nil || pending.id == id else { return nil }
            self.pending = nil
            return pending
        }
    }

    private let state = Mutex(State())
    private let transport: any PlacesTransport
    private let timeout: Double

    init(transport: any PlacesTransport, timeout: Double) {
        self.transport = transport
        self.timeout = timeout
    }

    var isBusy: Bool { state.withLock { $0.pending != nil } }

    func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Starts a request; the answer is called once, on any thread, perhaps before this returns.
    func startRequest(_ id: Int, _ request: GeocodingRequest, answer: @escaping Answer) {
        if let mistake = request.mistake(timeout: timeout) { return answer(.failure(mistake)) }
        let present: Result<[Placemark], GeocodingError>? = state.withLock { state in
            guard state.pending == nil else { return .failure(.requestInProgress) }
            if let known = state.cache.result(for: request) { return known }
            state.pending = Pending(id: id, request: request, answer: answer)
            return nil
        }
        if let present { return answer(present) }
        let call = transport.send(request, timeout: timeout) { [self] result in finish(id, result) }
        let isPending = state.withLock { state in
            guard state.pending?.id == id else { return false }
            state.pending?.call = call
            return true
        }
        // The request was answered or cancelled meanwhile; cancelling an answered call has no effect.
        if !isPending { call.cancel() }
    }

    private func finish(_ id: Int, _ result: Result<[Placemark], GeocodingError>) {
        let pending = state.withLock { state in
            let pending = state.removePending(id)
            if let pending { state.cache.store(result, for: pending.request) }
            return pending
        }
        pending?.answer(result)
    }

    /// Answers the pending request with `cancelled`; with an `id` only if the request has that one.
    func cancel(_ id: Int? = nil) {
        let pending = state.withLock { $0.removePending(id) }
        pending?.call?.cancel()
        pending?.answer(.failure(.cancelled))
    }

    func placemarks(for request: GeocodingRequest) async throws(GeocodingError) -> [Placemark] {
        guard !Task.isCancelled else { throw .cancelled }
        let id = newID()
        let result: Result<[Placemark], GeocodingError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                startRequest(id, request) { continuation.resume(returning: $0) }
                // The task was cancelled before there was a request to cancel.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }
}
