/// May this program know where the machine is?
public enum AuthorizationStatus: String, OpenEnumeration {
    /// Nobody has decided yet.
    case notDetermined
    /// The administrator's policy forbids it; the user cannot change that.
    case restricted
    /// It was refused.
    case denied
    /// While its user has an active session on this machine.
    case authorizedWhenInUse
    /// At any time.
    case authorizedAlways
    /// A status of a later version.
    case unknown
}

/// How precisely may this program know it?
public enum AccuracyAuthorization: String, OpenEnumeration {
    /// As precisely as the receiver does.
    case full
    /// To a coarse grid only.
    case reduced
    /// An accuracy of a later version.
    case unknown
}
