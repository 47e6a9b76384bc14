import LocationKit
import LocationModel

/// A location, or why there is none.
public struct CLLocationUpdate: Sendable {
    /// Where the machine is; `nil` if that is not known, or may not be.
    public let location: CLLocation?
    /// This program was refused the position, or the service is switched off.
    public let authorizationDenied: Bool
    /// The service is switched off.
    public let authorizationDeniedGlobally: Bool
    /// The administrator's policy forbids it.
    public let authorizationRestricted: Bool
    /// Nobody has decided yet whether this program may know the position.
    public let authorizationRequestInProgress: Bool
    /// This program may know the position only while its user has a session, and was refused for the lack of one. A
    /// program that waits for the session to begin finds ``locationUnavailable``.
    public let insufficientlyInUse: Bool
    /// No location comes for now: the receiver has no fix, or the service cannot be reached.
    public let locationUnavailable: Bool
    /// The position is told to a coarse grid only.
    public let accuracyLimited: Bool

    /// False: the service does not tell whether the machine stands still.
    public var stationary: Bool { false }
    /// The older name of ``stationary``.
    public var isStationary: Bool { stationary }
    /// False: no session is needed.
    public var serviceSessionRequired: Bool { false }

    init(_ report: LocationReport, accuracy: AccuracyAuthorization) {
        switch report {
        case .location(let location): self.init(CLLocation(location), nil, accuracy)
        case .noLocation(let error): self.init(nil, error, accuracy)
        }
    }

    private init(_ location: CLLocation?, _ error: LocationError?, _ accuracy: AccuracyAuthorization) {
        var status: AuthorizationStatus?
        if case .unauthorized(let refusal, _)? = error { status = refusal }
        self.location = location
        authorizationDeniedGlobally = error == .disabled
        authorizationDenied = status == .denied || error == .disabled
        authorizationRestricted = status == .restricted
        authorizationRequestInProgress = status == .notDetermined
        insufficientlyInUse = status == .authorizedWhenInUse
        locationUnavailable = error != nil && error != .disabled && status == nil
        accuracyLimited = accuracy == .reduced
    }
}
