@_spi(Programs) public import LocationModel

/// What a manager's locations and headings are to be like. A negative or non-finite number counts as `nil`.
public struct LocationSettings: Sendable, Hashable {
    /// The accuracy that the program would like, metres; `nil` for none in particular. While the source in use is less
    /// accurate, the service tries the others that are configured. No location is ever held back because of it.
    public var desiredAccuracy: Double? { didSet { desiredAccuracy = meaningful(desiredAccuracy) } }
    /// Locations with a horizontal accuracy worse than so many metres, or of unknown accuracy, are held back. No
    /// location has an accuracy of 0, which counts as `nil`.
    public var requiredAccuracy: Double? {
        didSet { requiredAccuracy = meaningful(requiredAccuracy).flatMap { $0 > 0 ? $0 : nil } }
    }
    /// Metres that the position must have moved since the last delivered location; `nil` for the activity's default.
    public var distanceFilter: Double? { didSet { distanceFilter = meaningful(distanceFilter) } }
    /// The least number of seconds between two locations; `nil` for the activity's default.
    public var minimumInterval: Double? { didSet { minimumInterval = meaningful(minimumInterval) } }
    /// Seconds for which the service may hold locations back, so that several are delivered together and the processor
    /// can sleep in between; `nil` for none, and each comes at once. Their own ages say how old they are. It has no
    /// effect while a request is pending. What is held is lost when updating stops, and when settings change. 0 counts
    /// as `nil`, more than 3600 as 3600.
    public var maximumDelay: Double? {
        didSet { maximumDelay = meaningful(maximumDelay).flatMap { $0 > 0 ? min($0, WatchRequest.delayLimit) : nil } }
    }
    /// Degrees that a heading must have turned since the last delivered one; `nil` delivers every heading. More than
    /// 180 counts as 180.
    public var headingFilter: Double? { didSet { headingFilter = meaningful(headingFilter).map { min($0, 180) } } }
    /// What the program uses the position for; selects the default filters, and after how long updating pauses.
    public var activityType = ActivityType.other
    /// Whether updating pauses while the machine is stationary. No locations are delivered then, and the receivers are
    /// only started now and then to see whether the machine moves. ``LocationProviding/isPaused`` and
    /// ``LocationProviding/statuses`` report it. Requests for one location end it.
    public var pausesAutomatically = false
    /// Whether locations are estimates in place of fixes: position, speed and course combined over time by their
    /// accuracies, held while the machine stands, and predicted for at most ten seconds without a fix while it moves;
    /// ``Location/basis`` says which. The ``activityType`` says how quickly the machine may change its movement.
    /// Without effect where the accuracy is reduced.
    public var estimate = false

    /// Every location and heading.
    public init() {}

    /// The filter that results from all settings.
    var filter: LocationFilter {
        LocationFilter(
            distance: distanceFilter ?? activityType.distanceFilter,
            interval: minimumInterval ?? activityType.minimumInterval, requiredAccuracy: requiredAccuracy)
    }

    /// Gives a watch the settings for locations. The activity counts for pauses and estimates, because its filters are
    /// in ``filter``.
    ///
    /// - Parameter isAwaited: whether a request waits for a location, so that none is filtered, held back or omitted.
    func apply(to request: inout WatchRequest, isAwaited: Bool) {
        request.estimate = estimate
        if !isAwaited {
            let filter = filter
            (request.distanceFilter, request.minimumInterval) = (filter.distance, filter.interval)
            (request.requiredAccuracy, request.maximumDelay) = (filter.requiredAccuracy, maximumDelay)
            request.pausesAutomatically = pausesAutomatically
        }
        guard request.pausesAutomatically || estimate, activityType != .other else { return }
        request.activityType = activityType
        (request.distanceFilter, request.minimumInterval) = (request.distanceFilter ?? 0, request.minimumInterval ?? 0)
    }
}

/// The number, if it is a possible distance, time or angle.
func meaningful(_ number: Double?) -> Double? {
    number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
}

/// The settings one by one.
extension LocationProviding {
    /// See ``LocationSettings/desiredAccuracy``.
    public var desiredAccuracy: Double? {
        get { settings.desiredAccuracy }
        set { changeSettings { $0.desiredAccuracy = newValue } }
    }
    /// See ``LocationSettings/requiredAccuracy``.
    public var requiredAccuracy: Double? {
        get { settings.requiredAccuracy }
        set { changeSettings { $0.requiredAccuracy = newValue } }
    }
    /// See ``LocationSettings/distanceFilter``.
    public var distanceFilter: Double? {
        get { settings.distanceFilter }
        set { changeSettings { $0.distanceFilter = newValue } }
    }
    /// See ``LocationSettings/minimumInterval``.
    public var minimumInterval: Double? {
        get { settings.minimumInterval }
        set { changeSettings { $0.minimumInterval = newValue } }
    }
    /// See ``LocationSettings/maximumDelay``.
    public var maximumDelay: Double? {
        get { settings.maximumDelay }
        set { changeSettings { $0.maximumDelay = newValue } }
    }
    /// See ``LocationSettings/headingFilter``.
    public var headingFilter: Double? {
        get { settings.headingFilter }
        set { changeSettings { $0.headingFilter = newValue } }
    }
    /// See ``LocationSettings/activityType``.
    public var activityType: ActivityType {
        get { settings.activityType }
        set { changeSettings { $0.activityType = newValue } }
    }
    /// See ``LocationSettings/pausesAutomatically``.
    public var pausesAutomatically: Bool {
        get { settings.pausesAutomatically }
        set { changeSettings { $0.pausesAutomatically = newValue } }
    }
    /// See ``LocationSettings/estimate``.
    public var estimate: Bool {
        get { settings.estimate }
        set { changeSettings { $0.estimate = newValue } }
    }
}
