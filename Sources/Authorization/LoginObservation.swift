/// Keeps an observation of login sessions up for as long as somebody holds it.
package final class LoginObservation: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: ends the observation. It may be called more than once, from any thread, and does not block.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }

    /// Ends the observation; afterwards at most a call that was under way comes to its end. May be called more than
    /// once, and from within such a call.
    package func cancel() {
        end()
    }
}
