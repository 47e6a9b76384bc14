import LocationKit
import Synchronization

/// The last question for the authorization, kept while the service cannot be asked: the program, which is told neither
/// that it failed nor that the service is back, cannot ask again.
final class AuthorizationRequestRetry: Sendable {
    private struct State {
        /// What has still to be asked.
        var level: AuthorizationLevel?
        var isAsking = false
        /// The service came back while it was asked.
        var isDueAgain = false
    }

    private let state = Mutex(State())

    func ask(for level: AuthorizationLevel, of provider: any LocationProviding) {
        state.withLock { $0 = State(level: level, isAsking: true) }
        provider.requestAuthorization(for: level, startUpdating: false) { [self, weak provider] result in
            let isDue = state.withLock { state in
                guard case .failure = result else {
                    state = State()
                    return false
                }
                state.isAsking = false
                return state.isDueAgain
            }
            if isDue, let provider { askAgain(of: provider) }
        }
    }

    /// The service is back: asks what it could not be asked.
    func askAgain(of provider: any LocationProviding) {
        let level = state.withLock { state in
            if state.isAsking { state.isDueAgain = true }
            return state.isAsking ? nil : state.level
        }
        if let level { ask(for: level, of: provider) }
    }
}
