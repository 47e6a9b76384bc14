@_spi(Programs) public import LocationModel

/// What one user may be shown of what the daemon has sent: the one rule for whoever keeps something of it, such as a
/// page, a bridge or a client library that hands a location to an observer that comes later.
@_spi(Programs) public struct UserView: Sendable, Hashable {
    /// Why what was received before must be forgotten.
    @_spi(Programs) public enum Forgetting: Sendable, Hashable {
        /// The user may not know the position, or not now.
        case notAuthorized
        /// The administrator has switched the service off.
        case disabled
        /// The user may know the position less precisely than what was received.
        case lessAccurate
    }

    /// The newest status; `nil` before the first and during an outage.
    @_spi(Programs) public private(set) var status: ServiceStatus?
    /// How precise what was received is at most; it outlasts an outage, as what was received does.
    private var accuracy: AccuracyAuthorization?

    /// A view of which nothing is known yet.
    @_spi(Programs) public init() {}

    /// Whether the user may be shown the position.
    @_spi(Programs) public var mayKnowPosition: Bool { status?.mayKnowPosition ?? false }

    /// Applies a status that the daemon has sent.
    ///
    /// Only what came after it may be shown from then on, if this returns a reason.
    @discardableResult
    @_spi(Programs) public mutating func apply(_ status: ServiceStatus) -> Forgetting? {
        let isLess = accuracy == .full && status.accuracy != .full
        (self.status, accuracy) = (status, status.accuracy)
        guard status.enabled else { return .disabled }
        guard status.mayKnowPosition else { return .notAuthorized }
        return isLess ? .lessAccurate : nil
    }

    /// The daemon cannot be reached. What was received before may still be shown, with its age.
    @_spi(Programs) public mutating func applyOutage() { status = nil }
}

extension ServiceStatus {
    fileprivate var mayKnowPosition: Bool {
        enabled && (authorization == .authorizedAlways || authorization == .authorizedWhenInUse)
    }
}
