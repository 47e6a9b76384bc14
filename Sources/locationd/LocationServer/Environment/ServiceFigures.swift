@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel

/// A snapshot of the service's counters and state.
package struct ServiceFigures: Sendable {
    package struct Fixes: Sendable, Equatable {
        package var accepted = 0
        /// Exact repeats, which were ignored.
        package var repeated = 0
        /// Held back, because they cannot be true.
        package var implausible = 0

        package init(accepted: Int = 0, repeated: Int = 0, implausible: Int = 0) {
            self.accepted = accepted
            self.repeated = repeated
            self.implausible = implausible
        }
    }

    package var statistics: Statistics
    package var isEnabled = true
    /// Seconds; `nil` before the first fix.
    package var fixAge: Double?
    /// By the name of the source, including sources without a fix.
    package var fixesBySource: [String: Fixes] = [:]
    /// Fixes that were lost on their way to the event loop.
    package var overflowedFixes = 0
    /// Calls refused for lack of permission, by authorization status.
    package var authorizationRefusals: [AuthorizationStatus: Int] = [:]
    package var badRequests = 0
    /// Messages encoded for watches and monitors; clients that receive the same content share one message.
    package var encodings = 0
    /// Violated invariants.
    package var internalErrors = 0

    package init(statistics: Statistics) {
        self.statistics = statistics
    }
}
