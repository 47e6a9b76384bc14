public import LocationModel

/// What a program asks for when it asks for authorization.
public enum AuthorizationLevel: String, Sendable, Hashable, CaseIterable {
    /// To know the position while its user has an active session on this machine.
    case whenInUse
    /// To know it at any time.
    case always

    /// True if the status grants this level, or more.
    public func isGranted(by status: AuthorizationStatus) -> Bool {
        switch status {
        case .authorizedAlways: true
        case .authorizedWhenInUse: self == .whenInUse
        case .notDetermined, .restricted, .denied, .unknown: false
        }
    }
}
