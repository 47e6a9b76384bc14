/// What a client asks of `Watch`. Without anything given: every location of the followed receiver.
public struct WatchRequest: ClientRequest {
    /// Metres that the position must have moved since the previous location.
    public var distanceFilter: Double?
    /// Metres, more than 0; locations with a worse, or unknown, horizontal accuracy are filtered out.
    public var requiredAccuracy: Double?
    /// Metres, more than 0: while the followed source is less accurate, those of lower rank are started one after the
    /// other, and the first that is as accurate is followed. Filters nothing. For watches of locations that are not
    /// passive.
    public var desiredAccuracy: Double?
    /// Seconds between two locations, at least.
    public var minimumInterval: Double?
    /// Seconds: how often a location is wanted, more than 0 and at most ``durationLimit``. The watch gets one in each,
    /// unless it is for every source, and the receivers rest in between while no client needs them more often. Where
    /// too little rest would be left they keep running, and the status has the reason. For watches of locations alone
    /// that are not passive.
    public var interval: Double?
    /// Seconds for which a location may be held back, more than 0 and at most ``delayLimit``, so that the client is
    /// sent several together and its processor can sleep in between. Filters nothing, and has no effect on the
    /// receivers. For watches of locations alone.
    public var maximumDelay: Double?
    /// What the position is used for: its filters are those of the watch that has none of its own.
    public var activityType: ActivityType?
    /// Whether no locations are delivered while the machine is stationary, so that the receivers rest and are only
    /// started now and then to see whether it moves. For watches of locations alone that are not passive.
    @OffByDefault public var pausesAutomatically
    /// The watch ends with this many locations, 1 or more.
    public var maximumUpdates: Int?
    /// Seconds after which the watch ends, more than 0 and at most ``durationLimit``; suspended time counts.
    public var duration: Double?
    /// Whether locations are delivered.
    @OnByDefault public var location
    /// Whether compass headings are delivered.
    @OffByDefault public var heading
    /// Degrees, 0 to 180, that a heading must have turned since the previous one; only with ``heading``.
    /// See ``HeadingFilter``.
    public var headingFilter: Double?
    /// Whether satellites in view are delivered.
    @OffByDefault public var satellites
    /// Receives locations that other clients' demand produces, and starts no receiver.
    @OffByDefault public var passive
    /// Receives the fixes of every receiver, not only those of the followed one.
    @OffByDefault public var everySource
    /// Whether locations are estimates in place of fixes: position, speed and course combined over time by their
    /// accuracies, held while the machine stands, and predicted for at most ten seconds without a fix while it moves;
    /// ``Location/basis`` says which. For clients with full accuracy and no rate limit; others receive what they do
    /// without it.
    @OffByDefault public var estimate
    /// Whether it is treated as a watch of a client with reduced accuracy, though the client may know more. Positions
    /// are then rounded to the grid without the machine's displacement, which such a client could work out otherwise.
    @OffByDefault public var reducedAccuracy
    /// What the locations are for, at most 256 bytes; shown to the administrator.
    public var purpose: String?
    /// What calls itself the client's library, 1 to ``InvalidField/libraryLimit`` bytes.
    @_spi(Programs) public var library: String?

    /// Every location of the followed receiver.
    public init() {}

    /// The longest duration: a year, seconds.
    public static let durationLimit = 31_536_000.0
    /// The longest ``maximumDelay``: an hour, seconds.
    public static let delayLimit = 3600.0

    /// Checks every member.
    ///
    /// - Throws: the first member that the service does not accept.
    public func validate() throws(InvalidField) {
        try InvalidField.checkNotNegative(distanceFilter, "distanceFilter", "metres")
        try InvalidField.checkNotNegative(minimumInterval, "minimumInterval", "seconds")
        try InvalidField.checkPositive(requiredAccuracy, "requiredAccuracy", "metres")
        if let maximumUpdates, maximumUpdates < 1 { throw InvalidField("maximumUpdates", "it is 1 or more") }
        if let duration, !(duration > 0 && duration <= Self.durationLimit) {
            throw InvalidField("duration", "seconds, more than 0 and at most 31536000")
        }
        if let headingFilter, !(0...180).contains(headingFilter) {
            throw InvalidField("headingFilter", "degrees, 0 to 180")
        }
        if headingFilter != nil, !heading { throw InvalidField("headingFilter", "only with heading") }
        try checkEstimate()
        try checkDesiredAccuracy()
        try checkInterval()
        try checkMaximumDelay()
        if pausesAutomatically { try checkRest("pausesAutomatically") }
        try InvalidField.checkPurpose(purpose)
        try InvalidField.checkLibrary(library)
    }

    private func checkEstimate() throws(InvalidField) {
        guard estimate else { return }
        if !location { throw InvalidField("estimate", "it is for locations") }
        if everySource { throw InvalidField("estimate", "it is of the followed source alone") }
    }

    private func checkInterval() throws(InvalidField) {
        guard let interval else { return }
        guard interval > 0, interval <= Self.durationLimit else {
            throw InvalidField("interval", "seconds, more than 0 and at most 31536000")
        }
        try checkRest("interval")
    }

    private func checkMaximumDelay() throws(InvalidField) {
        guard let maximumDelay else { return }
        guard maximumDelay > 0, maximumDelay <= Self.delayLimit else {
            throw InvalidField("maximumDelay", "seconds, more than 0 and at most 3600")
        }
        try checkLocationsAlone("maximumDelay")
    }

    private func checkDesiredAccuracy() throws(InvalidField) {
        guard desiredAccuracy != nil else { return }
        try InvalidField.checkPositive(desiredAccuracy, "desiredAccuracy", "metres")
        if passive { throw InvalidField("desiredAccuracy", "a passive watch starts no source") }
        if !location { throw InvalidField("desiredAccuracy", "it is for locations") }
    }

    /// Only a watch of locations alone can let the receivers rest.
    private func checkRest(_ field: String) throws(InvalidField) {
        if passive { throw InvalidField(field, "a passive watch starts no receiver that could rest") }
        try checkLocationsAlone(field)
    }

    private func checkLocationsAlone(_ field: String) throws(InvalidField) {
        if !location || heading || satellites { throw InvalidField(field, "it is for locations alone") }
    }

    /// Which locations the watch receives.
    @_spi(Programs) public var filter: LocationFilter {
        LocationFilter(
            distance: distanceFilter ?? activityType?.distanceFilter,
            interval: minimumInterval ?? activityType?.minimumInterval, requiredAccuracy: requiredAccuracy)
    }
}
