package import LocationModel

/// May this program know where the machine is?
@nonexhaustive(warn)
public enum CLAuthorizationStatus: Int32, Sendable {
    /// Nobody has decided yet.
    case notDetermined = 0
    /// The administrator's policy forbids it; the user cannot change that.
    case restricted = 1
    /// It was refused.
    case denied = 2
    /// At any time.
    case authorizedAlways = 3
    /// While its user has an active session on this machine.
    case authorizedWhenInUse = 4

    /// The name ``authorizedAlways`` has on macOS.
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }

    /// A status of a later version is one that nobody has decided on as far as this program can tell.
    package init(_ status: AuthorizationStatus) {
        switch status {
        case .notDetermined, .unknown: self = .notDetermined
        case .restricted: self = .restricted
        case .denied: self = .denied
        case .authorizedAlways: self = .authorizedAlways
        case .authorizedWhenInUse: self = .authorizedWhenInUse
        }
    }
}

/// How precisely may this program know where the machine is?
@nonexhaustive(warn)
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As precisely as the receiver does.
    case fullAccuracy = 0
    /// To a coarse grid only.
    case reducedAccuracy = 1

    /// What is not full, or not known to be, is reduced.
    package init(_ accuracy: AccuracyAuthorization) {
        self = accuracy == .full ? .fullAccuracy : .reducedAccuracy
    }
}
