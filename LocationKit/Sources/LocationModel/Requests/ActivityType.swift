/// What a program uses the position for. Selects the default filters of a watch, and after how long at one place a
/// watch that pauses automatically does so; the receiver does not learn of it.
public enum ActivityType: String, ClosedEnumeration {
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

    /// Seconds for which the machine has to be stationary before a watch pauses: longer for vehicles, which wait at
    /// traffic lights, locks and stations.
    public var pauseDelay: Double {
        switch self {
        case .fitness: 60
        case .other: 120
        case .automotiveNavigation, .otherNavigation, .airborne: 300
        }
    }
}
