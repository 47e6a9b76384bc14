@_spi(Programs) public import LocationKit

/// The settings of a ``CLLocationManager``, as the program reads them back.
struct CLLocationManagerSettings: Sendable {
    var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
    var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
    var headingFilter: CLLocationDegrees = 1
    var headingOrientation = CLDeviceOrientation.portrait
    var activityType = CLActivityType.other
    var pausesLocationUpdatesAutomatically = false
    var allowsBackgroundLocationUpdates = false
    var showsBackgroundLocationIndicator = false
}

/// What a program uses the position for.
@nonexhaustive(warn)
public enum CLActivityType: Int, Sendable {
    /// Anything else.
    case other = 1
    /// Driving.
    case automotiveNavigation = 2
    /// On foot or by bicycle.
    case fitness = 3
    /// By boat, train or aeroplane.
    case otherNavigation = 4
    /// Flying.
    case airborne = 5

    /// The same in LocationKit.
    @_spi(Programs) public var activityType: ActivityType {
        switch self {
        case .other: .other
        case .automotiveNavigation: .automotiveNavigation
        case .fitness: .fitness
        case .otherNavigation: .otherNavigation
        case .airborne: .airborne
        }
    }
}
