import LocationKit
import Synchronization

/// The last question for the authorization, kept while the service cannot be asked: the program, which is told neither
/// that it failed nor that the service is back, cannot ask again.
final class AuthorizationRequestRetry: Sendable {
    private struct State {
        /// What has still to be asked.
        var level: AuthorizationLevel?
        var isRequesting = false
        /// The service came back while it was asked.
        var isDueAgain = false
    }

    private let state = Mutex(State())

    func request(_ level: AuthorizationLevel, from provider: any LocationProviding) {
        state.withLock { $0 = State(level: level, isRequesting: true) }
        provider.requestAuthorization(for: level, startUpdating: false) { [self, weak provider] result in
            let isDue = state.withLock { state in
                guard case .failure = result else {
                    state = State()
                    return false
                }
                state.isRequesting = false
                return state.isDueAgain
            }
            if isDue, let provider { retry(with: provider) }
        }
    }

    /// The service is back: asks what it could not be asked.
    func retry(with provider: any LocationProviding) {
        let level = state.withLock { state in
            if state.isRequesting { state.isDueAgain = true }
            return state.isRequesting ? nil : state.level
        }
        if let level { request(level, from: provider) }
    }
}
