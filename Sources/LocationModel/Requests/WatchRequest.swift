/// What a client asks of `Watch`. Without anything given: every location of the followed receiver.
public struct WatchRequest: ClientRequest {
    /// Metres that the position must have moved since the location before.
    public var distanceFilter: Double?
    /// Locations of a horizontal accuracy worse than so many metres, or of unknown accuracy, are held back.
    public var requiredAccuracy: Double?
    /// Seconds between two locations, at least.
    public var minimumInterval: Double?
    /// The watch ends with this many locations, 1 or more.
    public var maximumUpdates: Int?
    /// The watch ends after so many seconds, more than 0 and at most ``durationLimit``; time that the machine sleeps counts.
    public var duration: Double?
    /// Whether locations are delivered.
    @OnByDefault public var location
    /// Whether compass headings are delivered.
    @OffByDefault public var heading
    /// Whether satellites in view are delivered.
    @OffByDefault public var satellites
    /// Receives what other clients cause, and starts no receiver.
    @OffByDefault public var passive
    /// Receives the fixes of every receiver, not of the followed one alone.
    @OffByDefault public var everySource
    /// What the locations are for, at most 256 bytes; shown to the administrator.
    public var purpose: String?

    /// Every location of the followed receiver.
    public init() {}

    /// The longest duration: a year, seconds.
    public static let durationLimit = 31_536_000.0

    /// Checks every member.
    ///
    /// - Throws: the first member that the service does not accept.
    public func validate() throws(InvalidField) {
        try InvalidField.checkNotNegative(distanceFilter, "distanceFilter", "metres")
        try InvalidField.checkNotNegative(minimumInterval, "minimumInterval", "seconds")
        try InvalidField.checkNotNegative(requiredAccuracy, "requiredAccuracy", "metres")
        if let maximumUpdates, maximumUpdates < 1 { throw InvalidField("maximumUpdates", "it is 1 or more") }
        if let duration, !(duration > 0 && duration <= Self.durationLimit) {
            throw InvalidField("duration", "seconds, more than 0 and at most 31536000")
        }
        try InvalidField.checkPurpose(purpose)
    }

    /// Which locations the watch receives.
    package var filter: LocationFilter {
        LocationFilter(distance: distanceFilter, interval: minimumInterval, requiredAccuracy: requiredAccuracy)
    }
}
