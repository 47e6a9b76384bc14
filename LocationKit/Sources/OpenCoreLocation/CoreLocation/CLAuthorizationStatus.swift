@_spi(Programs) public import LocationModel

/// Whether this program may know where the machine is.
@nonexhaustive(warn)
public enum CLAuthorizationStatus: Int32, Sendable {
    /// There is no decision yet.
    case notDetermined = 0
    /// The administrator's policy forbids it; the user cannot change that.
    case restricted = 1
    /// The position was denied.
    case denied = 2
    /// At any time.
    case authorizedAlways = 3
    /// While its user has an active session on this machine.
    case authorizedWhenInUse = 4

    /// The name ``authorizedAlways`` has on macOS.
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }

    /// A status that a later version has added counts as undecided.
    @_spi(Programs) public init(_ status: AuthorizationStatus) {
        switch status {
        case .notDetermined, .unknown: self = .notDetermined
        case .restricted: self = .restricted
        case .denied: self = .denied
        case .authorizedAlways: self = .authorizedAlways
        case .authorizedWhenInUse: self = .authorizedWhenInUse
        }
    }
}

/// How precisely this program may know where the machine is.
@nonexhaustive(warn)
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As precisely as the receiver does.
    case fullAccuracy = 0
    /// On a coarse grid only.
    case reducedAccuracy = 1

    /// Any accuracy that is not known to be full counts as reduced.
    @_spi(Programs) public init(_ accuracy: AccuracyAuthorization) {
        self = accuracy == .full ? .fullAccuracy : .reducedAccuracy
    }
}
