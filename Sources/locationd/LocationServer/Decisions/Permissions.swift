import Authorization
import LocationHub
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport

/// What the permissions require of their owner.
protocol PermissionOwner: AnyObject {
    /// Whether locations of reduced accuracy can be made.
    var hasReducedLocations: Bool { get }
    /// Login sessions have begun or ended.
    func sessionsChanged()
}

/// Decides each principal's permission: the verdict of policy and decisions and, for `authorizedWhenInUse`, whether the
/// user has an active login session.
///
/// Ownership: everything here belongs to the event loop; the login manager's thread reaches it through the loop only.
final class Permissions {
    var authority: Authority
    private let sessions: any LoginSessions
    private var observation: LoginObservation?
    private let loop: ServiceLoop
    private let clock: ServiceClock
    private weak var owner: (any PermissionOwner)?

    init(_ authority: Authority, sessions: any LoginSessions, loop: ServiceLoop, clock: ServiceClock) {
        self.authority = authority
        self.clock = clock
        self.sessions = sessions
        self.loop = loop
    }

    /// What both clocks show, for the terms of decisions.
    var moment: Term.Moment { Term.Moment(now: clock.now(), utc: clock.utc()) }

    /// The present permission of a principal.
    /// - Parameters:
    ///   - own: the decision about its process alone.
    ///   - owner: is told from then on when login sessions have begun or ended, if a permission depends on them.
    func permission(
        of principal: Principal, thisTime own: ProcessDecision? = nil, for owner: any PermissionOwner
    ) -> Permission {
        self.owner = owner
        let verdict = authority.verdict(for: principal, thisTime: own)
        var permission = Permission(verdict.status, accuracy: verdict.accuracy, isPending: verdict.isPending)
        permission.pace = verdict.minimumInterval.map { Pace(principal: "\(principal)", interval: $0) }
        permission.reason = verdict.reason
        permission.isFullAccuracyPending = verdict.isFullAccuracyPending
        permission.end = verdict.term?.deadline
        if verdict.status == .authorizedWhenInUse {
            observeSessions()
            if principal.bridge != nil || observation == nil || !sessions.isActive(principal.uid) {
                permission.isSuspended = true
                permission.reason = absence(of: principal)
            }
        }
        if permission.mayReceive, permission.accuracy != .full, !owner.hasReducedLocations {
            permission.isSuspended = true
            permission.reason =
                "reduced accuracy needs a persistent secret, and the state directory cannot store it; "
                + "the daemon's log has the cause"
        }
        return permission
    }

    /// Whether the login manager knows that a user has no active session.
    func isLoggedOut(_ uid: UInt32) -> Bool { sessions.isPresent && !sessions.isActive(uid) }

    private func absence(of principal: Principal) -> String {
        guard principal.bridge == nil else {
            return "a bridge has no login session; an administrator allows it by `sudo locctl authorize \(principal)`"
        }
        let remedy = "an administrator allows it at any time by `sudo locctl authorize \(principal.subject)`"
        guard sessions.isPresent else {
            return "this machine has no login manager that could tell whether uid \(principal.uid) is here; \(remedy)"
        }
        return "uid \(principal.uid) has no active login session; it goes on when there is one, or \(remedy)"
    }

    /// Login sessions are observed from the first client whose permission depends on them.
    private func observeSessions() {
        guard observation == nil else { return }
        let (loop, service) = (loop, loop.bind(self))
        observation = sessions.observe { loop.execute { service.value.owner?.sessionsChanged() } }
        // Earlier clients may have connected before the login manager was present.
        if observation != nil { loop.execute { service.value.owner?.sessionsChanged() } }
    }

    /// Ends the observation of login sessions.
    func end() { observation = nil }
}
