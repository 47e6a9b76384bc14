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

/// What a program uses the position for. It selects the filters of a manager whose own are not set; it changes nothing
/// else, and no receiver is told.
public enum ActivityType: String, Sendable, Hashable, CaseIterable {
    /// No filter.
    case other
    /// Driving: at most one location a second.
    case automotiveNavigation
    /// On foot or by bicycle: at most one location a second, at least 3 m apart.
    case fitness
    /// By boat or train: at most one location a second, at least 10 m apart.
    case otherNavigation
    /// Flying: no filter.
    case airborne

    /// Metres between two locations.
    public var distanceFilter: Double? {
        switch self {
        case .fitness: 3
        case .otherNavigation: 10
        case .other, .automotiveNavigation, .airborne: nil
        }
    }

    /// Seconds between two locations.
    public var minimumInterval: Double? {
        switch self {
        case .automotiveNavigation, .fitness, .otherNavigation: 1
        case .other, .airborne: nil
        }
    }
}
