@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// What a session requests when, and what it lacks: a pure value.
///
/// A requirement is requested once; again when what was granted has ended, and after a failure when the service reports
/// its status again.
struct SessionState: Sendable {
    /// What is to be requested of the service.
    enum Request: Sendable, Hashable {
        case level(AuthorizationLevel)
        case fullAccuracy
    }

    private enum Progress: Sendable { case due, open, answered }

    private let requirement: CLServiceSession.AuthorizationRequirement
    private let wantsFullAccuracy: Bool
    private(set) var status: ServiceStatus?
    private var level = Progress.due
    private var accuracy = Progress.due

    init(_ requirement: CLServiceSession.AuthorizationRequirement, wantsFullAccuracy: Bool = false) {
        self.requirement = requirement
        self.wantsFullAccuracy = wantsFullAccuracy
    }

    private var requiredLevel: AuthorizationLevel? {
        switch requirement {
        case .none: nil
        case .whenInUse: .whenInUse
        case .always: .always
        }
    }

    /// - Returns: what is to be requested now.
    mutating func receive(_ status: ServiceStatus) -> [Request] {
        self.status = status
        if let requiredLevel, requiredLevel.isGranted(by: status.authorization) { level = .due }
        if status.accuracy == .full { accuracy = .due }
        return requestsDue()
    }

    /// - Returns: what is to be requested next.
    mutating func receive(_ answer: Result<Bool, LocationError>, to request: Request) -> [Request] {
        let progress: Progress =
            switch answer {
            case .success: .answered
            case .failure: .due
            }
        switch request {
        case .level: level = progress
        case .fullAccuracy: accuracy = progress
        }
        // A failed request is repeated with the next status.
        return progress == .answered ? requestsDue() : []
    }

    private mutating func requestsDue() -> [Request] {
        guard let status else { return [] }
        let isAuthorized = AuthorizationLevel.whenInUse.isGranted(by: status.authorization)
        if let requiredLevel, level == .due, !requiredLevel.isGranted(by: status.authorization),
            isAuthorized || status.authorization == .notDetermined
        {
            level = .open
            return [.level(requiredLevel)]
        }
        guard wantsFullAccuracy, accuracy == .due, level != .open, isAuthorized, status.accuracy != .full else {
            return []
        }
        accuracy = .open
        return [.fullAccuracy]
    }

    /// True while this program gets no location because its user has no session on this machine.
    var isInsufficientlyInUse: Bool {
        guard let status, status.enabled, status.authorization == .authorizedWhenInUse else { return false }
        return status.source == .stopped && status.reason != nil
    }

    /// `nil` while the service has not reported its status.
    var diagnostic: CLServiceSession.Diagnostic? {
        guard let status else { return nil }
        let isAuthorized = AuthorizationLevel.whenInUse.isGranted(by: status.authorization)
        return CLServiceSession.Diagnostic(
            authorizationDenied: status.authorization == .denied || !status.enabled,
            authorizationDeniedGlobally: !status.enabled,
            authorizationRestricted: status.authorization == .restricted,
            authorizationRequestInProgress: level == .open || accuracy == .open || status.authorizationPending,
            insufficientlyInUse: isInsufficientlyInUse,
            alwaysAuthorizationDenied: requirement == .always && level == .answered
                && status.authorization == .authorizedWhenInUse,
            fullAccuracyDenied: wantsFullAccuracy && accuracy == .answered && isAuthorized && status.accuracy != .full)
    }
}
