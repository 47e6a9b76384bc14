import LocationModel

/// A manager's settings for locations and headings. A negative or non-finite number counts as none.
struct ManagerSettings {
    var desiredAccuracy: Double? { didSet { desiredAccuracy = meaningful(desiredAccuracy) } }
    var requiredAccuracy: Double? { didSet { requiredAccuracy = meaningful(requiredAccuracy) } }
    var distanceFilter: Double? { didSet { distanceFilter = meaningful(distanceFilter) } }
    var minimumInterval: Double? { didSet { minimumInterval = meaningful(minimumInterval) } }
    var maximumDelay: Double? {
        didSet { maximumDelay = meaningful(maximumDelay).flatMap { $0 > 0 ? min($0, WatchRequest.delayLimit) : nil } }
    }
    var headingFilter: Double? { didSet { headingFilter = meaningful(headingFilter).map { min($0, 180) } } }
    var activityType = ActivityType.other
    var pausesAutomatically = false

    /// The filter that results from all settings.
    var filter: LocationFilter {
        LocationFilter(
            distance: distanceFilter ?? activityType.distanceFilter,
            interval: minimumInterval ?? activityType.minimumInterval, requiredAccuracy: requiredAccuracy)
    }
}

/// The number, if it is a possible distance, time or angle.
func meaningful(_ number: Double?) -> Double? {
    number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
}
