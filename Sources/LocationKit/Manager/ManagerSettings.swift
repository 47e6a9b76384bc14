import LocationModel

/// What a manager was told about the locations that are wanted. A number that is negative or not finite counts as none.
struct ManagerSettings {
    var desiredAccuracy: Double? { didSet { desiredAccuracy = meaningful(desiredAccuracy) } }
    var requiredAccuracy: Double? { didSet { requiredAccuracy = meaningful(requiredAccuracy) } }
    var distanceFilter: Double? { didSet { distanceFilter = meaningful(distanceFilter) } }
    var minimumInterval: Double? { didSet { minimumInterval = meaningful(minimumInterval) } }
    var activityType = ActivityType.other

    /// What follows from all of it.
    var filter: LocationFilter {
        LocationFilter(
            distance: distanceFilter ?? activityType.distanceFilter,
            interval: minimumInterval ?? activityType.minimumInterval, requiredAccuracy: requiredAccuracy)
    }
}

/// The number, if it can be a distance or a time.
func meaningful(_ number: Double?) -> Double? {
    number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
}
