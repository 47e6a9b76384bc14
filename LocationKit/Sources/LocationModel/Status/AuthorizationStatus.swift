/// Whether a program may know the position.
public enum AuthorizationStatus: String, OpenEnumeration {
    /// Nobody has decided yet.
    case notDetermined
    /// The administrator's policy forbids it; the user cannot change that.
    case restricted
    /// It was refused.
    case denied
    /// Authorized while its user has an active session on this machine.
    case authorizedWhenInUse
    /// Authorized at any time.
    case authorizedAlways
    /// A status of a later version.
    case unknown
}

/// How precisely a program may know the position.
public enum AccuracyAuthorization: String, OpenEnumeration {
    /// As precisely as the receiver measures it.
    case full
    /// Reduced to a coarse grid.
    case reduced
    /// An accuracy of a later version.
    case unknown
}
