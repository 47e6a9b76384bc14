@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// Passes LocationKit's values to a manager's mailbox.
struct ManagerObservers: Sendable {
    private let locations: Observer<Location>
    private let headings: Observer<Heading>
    private let authorizations: Observer<AuthorizationStatus>
    private let statuses: Observer<ServiceStatus>
    private let errors: Observer<LocationError>
    private let connections: Observer<ConnectionState>

    /// - Parameters:
    ///   - request: is repeated when the decision that it waits for is made.
    ///   - authorizationRetry: is repeated when the connection is restored.
    init(
        of provider: any LocationProviding, into mailbox: DelegateMailbox, request: LocationRequestTask,
        authorizationRetry: AuthorizationRequestRetry
    ) {
        locations = Observer(on: .immediate) { [weak provider] location in
            let accuracy = provider?.accuracyAuthorization ?? .full
            mailbox.update { $0.receive(location, accuracy) }
        }
        headings = Observer(on: .immediate) { heading in mailbox.update { $0.receive(heading) } }
        authorizations = Observer(on: .immediate) { [weak provider] status in
            guard let provider else { return }
            let accuracy = provider.accuracyAuthorization
            let again = mailbox.update { state in
                state.receive(status, accuracy)
                return state.resumeRequest()
            }
            if let again { request.start(again, of: provider, into: mailbox) }
        }
        // The accuracy may change alone, as at the end of a term.
        statuses = Observer(on: .immediate) { status in
            mailbox.update { state in
                state.receive(status.authorization, status.accuracy)
                state.receive(isPaused: status.paused == true)
            }
        }
        errors = Observer(on: .immediate) { error in mailbox.update { $0.receive(error) } }
        connections = Observer(on: .immediate) { [weak provider] connection in
            switch connection {
            case .connected: provider.map(authorizationRetry.retry)
            case .disconnected: mailbox.update { $0.connectionLost() }
            }
        }
    }

    /// Adds the observers that request nothing.
    func observeUpdates(of provider: any LocationProviding) {
        provider.addObserver(locations)
        provider.addObserver(headings)
        provider.addObserver(errors)
        provider.addObserver(connections)
    }

    /// Adds the observer that asks the service for the authorization.
    func observeAuthorization(of provider: any LocationProviding) {
        provider.addObserver(authorizations)
        provider.addObserver(statuses)
    }

    func remove(from provider: any LocationProviding) {
        provider.removeObserver(locations)
        provider.removeObserver(headings)
        provider.removeObserver(authorizations)
        provider.removeObserver(statuses)
        provider.removeObserver(errors)
        provider.removeObserver(connections)
    }
}
