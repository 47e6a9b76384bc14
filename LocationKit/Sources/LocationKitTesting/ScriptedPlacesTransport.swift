@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// The transport of a ``FakeReverseGeocoder``, which has at most one pending request.
///
/// Ownership: everything is under one lock, which is not held while an answer is called or released.
final class ScriptedPlacesTransport: PlacesTransport {
    private struct Pending {
        let number: Int
        let request: GeocodingRequest
        let answer: @Sendable (Result<[Placemark], GeocodingError>) -> Void
    }

    private struct State {
        var result: Result<[Placemark], GeocodingError>?
        var requests: [GeocodingRequest] = []
        var pending: Pending?

        mutating func removePending(_ number: Int?) -> Pending? {
            guard let pending, number == nil || pending.number == number else { return nil }
            self.pending = nil
            return pending
        }
    }

    private let state: Mutex<State>

    init(_ result: Result<[Placemark], GeocodingError>?) {
        state = Mutex(State(result: result))
    }

    var result: Result<[Placemark], GeocodingError>? {
        get { state.withLock { $0.result } }
        set { state.withLock { $0.result = newValue } }
    }

    var requests: [GeocodingRequest] { state.withLock { $0.requests } }
    var pendingRequest: GeocodingRequest? { state.withLock { $0.pending?.request } }

    func answerPending(_ result: Result<[Placemark], GeocodingError>) -> Bool {
        guard let pending = state.withLock({ $0.removePending(nil) }) else { return false }
        pending.answer(result)
        return true
    }

    func send(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall {
        let (number, result) = state.withLock { state in
            state.requests.append(request)
            let number = state.requests.count
            if state.result == nil { state.pending = Pending(number: number, request: request, answer: answer) }
            return (number, state.result)
        }
        if let result { answer(result) }
        return Call(service: self, number: number)
    }

    private struct Call: CancellableCall {
        weak let service: ScriptedPlacesTransport?
        let number: Int

        func cancel() {
            _ = service?.state.withLock { $0.removePending(number) }
        }
    }
}
