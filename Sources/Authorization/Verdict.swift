package import LocationModel

/// What a client may know, and why not more.
package struct Verdict: Sendable, Hashable {
    package var status: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
    /// Seconds between two locations, at least.
    package var minimumInterval: Double?
    /// True while a request waits for somebody to decide.
    package var isPending: Bool
    /// Why the client may not know and what an administrator can do; `nil` where it may.
    package var reason: String?

    package init(
        _ status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, minimumInterval: Double? = nil,
        isPending: Bool = false, reason: String? = nil
    ) {
        self.status = status
        self.accuracy = accuracy
        self.minimumInterval = minimumInterval
        self.isPending = isPending
        self.reason = reason
    }
}
