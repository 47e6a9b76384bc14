@_spi(Programs) import LocationKit
import Synchronization

/// Repeats the last request for authorization when the connection to the service is restored: the delegate of the
/// program learns neither of the failure nor of the restored connection, so the program cannot repeat it.
final class AuthorizationRequestRetry: Sendable {
    private struct State {
        /// The level to request again.
        var level: AuthorizationLevel?
        var isRequesting = false
        /// The connection was restored while a request was open.
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

    /// The connection is restored: repeats a request that failed.
    func retry(with provider: any LocationProviding) {
        let level = state.withLock { state in
            if state.isRequesting { state.isDueAgain = true }
            return state.isRequesting ? nil : state.level
        }
        if let level { request(level, from: provider) }
    }
}
