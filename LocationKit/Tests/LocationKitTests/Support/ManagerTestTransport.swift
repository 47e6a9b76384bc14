@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// A transport that the test controls: it delivers events at once, on the test's own clock.
final class ManagerTestTransport: LocationTransport {
    struct LastLocationCall: CancellableCall {
        let maximumAge: Double
        let answer: @Sendable (Result<Location, LocationError>) -> Void
        let onCancel: @Sendable () -> Void

        func cancel() { onCancel() }
    }

    struct AuthorizationCall: CancellableCall {
        let level: AuthorizationLevel
        let fullAccuracy: Bool
        let purpose: String?
        let answer: @Sendable (Result<ServiceStatus, LocationError>, Bool) -> Void
        let onCancel: @Sendable () -> Void

        func cancel() { onCancel() }
    }

    private struct State {
        var now = BootInstant(seconds: 1000)
        var client: (any TransportClient)?
        weak var waker: (any TransportClient)?
        weak var lastClient: (any TransportClient)?
        var interests: [Interest] = []
        var moment: BootInstant?
        var status: Result<ServiceStatus, LocationError> = .success(.tracking)
        var statusCalls = 0
        var lastLocationCalls: [LastLocationCall] = []
        var authorizationCalls: [AuthorizationCall] = []
        var cancelledCalls = 0
        var deliveries = 0
        var onDelivery: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var now: BootInstant { state.withLock { $0.now } }
    var interest: Interest { state.withLock { $0.interests.last ?? Interest() } }
    var interests: [Interest] { state.withLock { $0.interests } }
    var moment: BootInstant? { state.withLock { $0.moment } }
    var statusCalls: Int { state.withLock { $0.statusCalls } }
    var lastLocationCalls: [LastLocationCall] { state.withLock { $0.lastLocationCalls } }
    var authorizationCalls: [AuthorizationCall] { state.withLock { $0.authorizationCalls } }
    var cancelledCalls: Int { state.withLock { $0.cancelledCalls } }
    var deliveries: Int { state.withLock { $0.deliveries } }
    /// The client that has an interest.
    var client: (any TransportClient)? { state.withLock { $0.client } }

    func answerStatus(_ result: Result<ServiceStatus, LocationError>) {
        state.withLock { $0.status = result }
    }

    /// Whether the last client still exists, whoever retains it.
    var isClientAlive: Bool { state.withLock { $0.lastClient != nil } }

    /// Runs the body with the next call of `deliverPending`.
    func onDelivery(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onDelivery = body }
    }

    /// Delivers events to the client, in order.
    func deliver(_ events: TransportEvent...) {
        let client = state.withLock { $0.client }
        for event in events { client?.receive(event) }
    }

    /// Advances the time, and wakes the client if its wake-up is due.
    func advance(bySeconds seconds: Double) {
        let client = state.withLock { state -> (any TransportClient)? in
            state.now = state.now.advanced(bySeconds: seconds)
            guard let moment = state.moment, moment <= state.now else { return nil }
            state.moment = nil
            return state.waker
        }
        client?.wakeUp()
    }

    func setInterest(_ interest: Interest, of client: any TransportClient) {
        state.withLock { state in
            state.interests.append(interest)
            state.client = interest.isEmpty ? nil : client
            state.lastClient = client
        }
    }

    func scheduleWakeUp(of client: any TransportClient, at moment: BootInstant?) {
        state.withLock { state in
            state.moment = moment
            state.waker = client
        }
    }

    func status() throws(LocationError) -> ServiceStatus {
        let result = state.withLock { state in
            state.statusCalls += 1
            return state.status
        }
        return try result.get()
    }

    func lastLocation(
        maximumAge: Double, answer: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) -> any CancellableCall {
        let call = LastLocationCall(maximumAge: maximumAge, answer: answer) { [self] in
            state.withLock { $0.cancelledCalls += 1 }
        }
        state.withLock { $0.lastLocationCalls.append(call) }
        return call
    }

    func requestAuthorization(
        _ level: AuthorizationLevel, fullAccuracy: Bool, purpose: String?,
        answer: @escaping @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void
    ) -> any CancellableCall {
        let call = AuthorizationCall(level: level, fullAccuracy: fullAccuracy, purpose: purpose, answer: answer) {
            [self] in
            state.withLock { $0.cancelledCalls += 1 }
        }
        state.withLock { $0.authorizationCalls.append(call) }
        return call
    }

    func deliverPending() {
        let body = state.withLock { state in
            state.deliveries += 1
            defer { state.onDelivery = nil }
            return state.onDelivery
        }
        body?()
    }
}
