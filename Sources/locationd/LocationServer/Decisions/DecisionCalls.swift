import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer

/// What must be done before anything is sent or answered: decisions end with their terms, however late a timer is.
protocol DueDecisions: AnyObject {
    /// Ends the decisions whose terms or processes have ended, if it is time to look.
    func endDueDecisions()
}

/// Who may know the position: the decisions of administrators, those of users about their own programs and about single
/// processes, and the requests that wait for one.
///
/// Ownership: everything here belongs to the event loop.
final class DecisionCalls: ServiceCalls, AuditRecorderOwner {
    let parts: SharedParts
    let usage: UsageCalls
    let locations: any PermissionEffects
    /// The verdicts.
    let permissions: Permissions
    /// The end of temporary decisions.
    private(set) lazy var terms = DecisionTerms(of: permissions, loop: loop, owner: self)
    /// The decisions about single processes.
    let processDecisions = ProcessDecisions()
    private(set) lazy var processAlarm = LoopAlarm(on: loop) { [weak self] in self?.endProcessDecisions() }
    /// What users are told of their own pending requests.
    private(set) lazy var requestFeed = ChangeFeed(context, owner: self)
    /// The first location of a day of users whose requests are watched.
    var firstUses: [UInt32: FirstUse] = [:]
    /// How many grants about each user wait for the account's name.
    var awaitingName: [UInt32: Int] = [:]

    init(
        _ parts: SharedParts, usage: UsageCalls, locations: any PermissionEffects, decisions: Authority.Decisions,
        sessions: any LoginSessions
    ) {
        self.parts = parts
        self.usage = usage
        self.locations = locations
        permissions = Permissions(
            Authority(policy: parts.context.settings.policy, decisions: decisions), sessions: sessions,
            loop: parts.context.loop, clock: parts.context.clock)
        terms.resume()
    }

    func applyPolicy() {
        permissions.authority.policy = settings.policy
        refreshPermissions(cause: "the policy")
        refreshNamedMonitors()
    }

    /// Applies decisions that were read again: the file has become readable, or unreadable.
    func replaceDecisions(_ decisions: Authority.Decisions) {
        permissions.authority.decisions = decisions
        terms.resume()
        refreshPermissions(cause: "the decisions' file")
        refreshNamedMonitors()
    }

    /// Answers the calls that wait for a decision.
    func finish() {
        for client in connections.clients.values {
            if case .authorizing = client.activity { answerAuthorization(of: client) }
        }
        requestFeed.finish()
        terms.cancel()
        processAlarm.cancel()
        permissions.end()
    }
}

extension DecisionCalls: DecisionTermsOwner {
    func termsEnded(_ ended: [(subject: Subject, decision: Decision)], persisting table: DecisionTable) {
        environment.state.persistDecisionsSoon(table)
        guard !ended.isEmpty else { return }
        let subjects = Set(ended.map(\.subject))
        refreshPermissions { client in subjects.contains { client.principal.isConcerned(by: $0) } }
        refreshNamedMonitors()
        for (subject, decision) in ended {
            audit.recordEnd(of: decision, about: subject, since: permissions.authority.verdict(about: subject))
        }
    }
}

extension DecisionCalls: PermissionOwner {
    var hasReducedLocations: Bool { locations.hasReducedLocations }
    func sessionsChanged() { refreshPermissions { $0.permission.authorization == .authorizedWhenInUse } }
}

/// Applies changes of permission to connected clients.
extension DecisionCalls {
    /// Recomputes permissions after a change of decisions, policy or sessions. Clients are informed, and those without
    /// permission receive nothing from here on.
    ///
    /// - Parameter cause: who granted or revoked, for the audit; `nil` if that is recorded elsewhere or is not to be
    ///   recorded.
    func refreshPermissions(cause: String? = nil, of isConcerned: (ServerClient) -> Bool = { _ in true }) {
        // What waits for a decision may have changed, too, whoever is connected.
        reporter.scheduleReport()
        requestFeed.schedule()
        usage.feed.schedule()
        var known: [Identity: Permission] = [:]
        var changed: [ServerClient] = []
        var turned: [ServerClient] = []
        for client in connections.clients.values where isConcerned(client) {
            let own = decisionThisTime(about: client)
            let identity = Identity(client.principal, own)
            let permission =
                known[identity] ?? permissions.permission(of: client.principal, thisTime: own, for: self)
            known[identity] = permission
            guard permission != client.permission else { continue }
            changed.append(client)
            if permission.mayReceive != client.permission.mayReceive { turned.append(client) }
            // What it was sent until now it was sent under the former permission.
            usage.listUsage(of: client)
            if permission.mayReceive, !client.permission.mayReceive, client.receivesSince != nil {
                client.receivesSince = now
            }
            client.permission = permission
            connections.limitRequests(of: client)
        }
        locations.applyPermissions(of: changed)
        for client in changed {
            guard case .authorizing(let full) = client.activity else { continue }
            let permission = client.permission
            if !(full ? permission.isAccuracyUndecided : permission.isUndecided) { answerAuthorization(of: client) }
        }
        if let cause { audit.recordChanges(of: turned, by: cause) }
    }

    /// Recounts the named monitors against the limits, which depend on whether their users have permission.
    func refreshNamedMonitors() {
        let authority = permissions.authority
        locations.reviewNamedMonitors { authority.isAuthorized(uid: $0) }
    }
}

/// What a verdict depends on.
private struct Identity: Hashable {
    let uid: UInt32
    let groups: Set<UInt32>
    let unit: String?
    let bridge: Bridge?
    let isMakerOfSocket: Bool
    let own: ProcessDecision?

    init(_ principal: Principal, _ own: ProcessDecision?) {
        self.own = own
        uid = principal.uid
        groups = principal.groups
        unit = principal.unit
        bridge = principal.bridge
        isMakerOfSocket = principal.isMakerOfSocket
    }
}
