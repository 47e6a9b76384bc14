public import LocationKit
public import LocationModel

/// What happens to the service, and who may know.
extension FakeLocationManager {
    /// Whether the program may know the position. Setting it is the administrator's decision: it holds at once, and
    /// answers all who wait for one.
    public var authorizationStatus: AuthorizationStatus {
        get { manager.authorizationStatus }
        set { service.change { $0.authorize(newValue) } }
    }

    /// How precisely the program may know it. Setting it takes headings away, or gives them back; locations are told as
    /// they are sent.
    public var accuracyAuthorization: AccuracyAuthorization {
        get { manager.accuracyAuthorization }
        set {
            service.change { state in
                state.world.accuracy = newValue
                state.announce()
            }
        }
    }

    /// What is decided as soon as the program asks for authorization and nobody has decided before; `nil` lets it wait
    /// until ``authorizationStatus`` is set.
    public var authorizationAnswer: AuthorizationStatus? {
        get { service.withState { $0.authorizationAnswer } }
        set { service.withState { $0.authorizationAnswer = newValue } }
    }

    /// What the program asked for and nobody has decided, the oldest first.
    public var pendingAuthorizationRequests: [AuthorizationLevel] {
        service.withState { $0.petitions.map(\.level) }
    }

    /// The administrator switches the service off.
    public func disableService() {
        setEnabled(false)
    }

    /// The administrator switches the service on.
    public func enableService() {
        setEnabled(true)
    }

    private func setEnabled(_ isEnabled: Bool) {
        service.change { state in
            state.world.isEnabled = isEnabled
            state.world.beginReception(at: state.now)
            state.announce()
        }
    }

    /// The connection to the service is lost, until ``reconnect()``. Each call is one more try that failed.
    public func disconnect(_ error: LocationError = .disconnected) {
        service.change { state in
            state.world.failure = error
            state.tellAll(.disconnected(error))
            state.endPetitions()
        }
    }

    /// The service answers again.
    public func reconnect() {
        service.change { $0.reconnect() }
    }

    /// Brings about that error: takes the authorization away, switches the service off, makes the receiver unavailable,
    /// or ends the connection.
    public func fail(_ error: LocationError) {
        switch error {
        case .unauthorized(let status, let reason): service.change { $0.authorize(status, reason: reason) }
        case .disabled: disableService()
        case .unavailable(let reason, _): becomeUnavailable(reason: reason)
        default: disconnect(error)
        }
    }
}
