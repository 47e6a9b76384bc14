package import LocationModel

/// What one client may know.
package struct Permission: Sendable, Hashable {
    package var authorization: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
    /// True while somebody has still to decide.
    package var isPending: Bool

    package init(_ authorization: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, isPending: Bool = false)
    {
        self.authorization = authorization
        self.accuracy = accuracy
        self.isPending = isPending
    }

    /// True if locations may be given now.
    package var mayReceive: Bool {
        authorization == .authorizedAlways && accuracy == .full
    }
}
