import LocationModel

/// A manager's settings for locations and headings. A negative or non-finite number counts as none.
struct ManagerSettings {
    var desiredAccuracy: Double? { didSet { desiredAccuracy = meaningful(desiredAccuracy) } }
    var requiredAccuracy: Double? { didSet { requiredAccuracy = meaningful(requiredAccuracy) } }
    var distanceFilter: Double? { didSet { distanceFilter = meaningful(distanceFilter) } }
    var minimumInterval: Double? { didSet { minimumInterval = meaningful(minimumInterval) } }
    var headingFilter: Double? { didSet { headingFilter = meaningful(headingFilter).map { min($0, 180) } } }
    var activityType = ActivityType.other

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

/// What a program uses the position for. Selects the default filters of a manager and changes nothing else; the
/// receiver does not learn of it.
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

    /// The default distance between two locations, metres.
    public var distanceFilter: Double? {
        switch self {
        case .fitness: 3
        case .otherNavigation: 10
        case .other, .automotiveNavigation, .airborne: nil
        }
    }

    /// The default interval between two locations, seconds.
    public var minimumInterval: Double? {
        switch self {
        case .automotiveNavigation, .fitness, .otherNavigation: 1
        case .other, .airborne: nil
        }
    }
}
