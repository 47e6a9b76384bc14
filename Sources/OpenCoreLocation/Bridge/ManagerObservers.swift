import LocationKit
import LocationModel

/// Brings what LocationKit tells into a manager's mailbox.
struct ManagerObservers: Sendable {
    private let locations: Observer<Location>
    private let headings: Observer<Heading>
    private let authorizations: Observer<AuthorizationStatus>
    private let errors: Observer<LocationError>
    private let connections: Observer<ConnectionState>

    /// - Parameters:
    ///   - request: is made again when somebody has decided what it waits for.
    ///   - authorizationRetry: is asked again when the service is back.
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
        errors = Observer(on: .immediate) { error in mailbox.update { $0.receive(error) } }
        connections = Observer(on: .immediate) { [weak provider] connection in
            switch connection {
            case .connected: provider.map(authorizationRetry.retry)
            case .disconnected: mailbox.update { $0.connectionLost() }
            }
        }
    }

    /// What asks the service nothing by itself.
    func observeUpdates(of provider: any LocationProviding) {
        provider.addObserver(locations)
        provider.addObserver(headings)
        provider.addObserver(errors)
        provider.addObserver(connections)
    }

    /// Asks the service whether this program may know.
    func observeAuthorization(of provider: any LocationProviding) {
        provider.addObserver(authorizations)
    }

    func remove(from provider: any LocationProviding) {
        provider.removeObserver(locations)
        provider.removeObserver(headings)
        provider.removeObserver(authorizations)
        provider.removeObserver(errors)
        provider.removeObserver(connections)
    }
}
