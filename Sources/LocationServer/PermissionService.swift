import Authorization
import LocationHub
import LocationModel
import NIOCore
import VarlinkServer

/// What each client may know, and what follows when that changes.
extension LocationService {
    /// What holds for a principal now.
    func permission(of principal: Principal) -> Permission {
        let verdict = authority.verdict(for: principal)
        var permission = Permission(verdict.status, accuracy: verdict.accuracy, isPending: verdict.isPending)
        permission.pace = verdict.minimumInterval.map { Pace(principal: "\(principal)", interval: $0) }
        permission.reason = verdict.reason
        if verdict.status == .authorizedWhenInUse {
            observeSessions()
            if principal.bridge != nil || observation == nil || !sessions.isActive(principal.uid) {
                permission.isSuspended = true
                permission.reason = absence(of: principal)
            }
        }
        if permission.mayReceive, permission.accuracy != .full, hub.reduction == nil {
            permission.isSuspended = true
            permission.reason =
                "reduced accuracy needs a secret that outlives the daemon, and the state directory cannot keep it; "
                + "an administrator finds the cause in the daemon's log"
        }
        return permission
    }

    private func absence(of principal: Principal) -> String {
        guard principal.bridge == nil else {
            return "a bridge never logs in; an administrator allows it by `sudo locctl authorize \(principal)`"
        }
        let remedy = "an administrator allows it at any time by `sudo locctl authorize \(principal.subject)`"
        guard sessions.isPresent else {
            return "this machine has no login manager that could tell whether uid \(principal.uid) is here; \(remedy)"
        }
        return "uid \(principal.uid) has no active login session; it goes on when there is one, or \(remedy)"
    }

    /// Sessions matter from the first client on that may know only while its user is here.
    private func observeSessions() {
        guard observation == nil else { return }
        let (loop, service) = (loop, bound)
        observation = sessions.observe { loop.execute { service.value.sessionsChanged() } }
        // Others may have come before there was a login manager to ask.
        if observation != nil { loop.execute { service.value.sessionsChanged() } }
    }

    private func sessionsChanged() {
        refreshPermissions { $0.permission.authorization == .authorizedWhenInUse }
    }

    /// Decisions, policy or sessions changed: clients are told, and those who may not know any more get nothing from
    /// here on.
    ///
    /// - Parameter cause: who is named in the history as the one who granted or revoked; `nil` if that is noted elsewhere
    ///   or not worth it.
    func refreshPermissions(cause: String? = nil, of isConcerned: (Client) -> Bool = { _ in true }) {
        var known: [Identity: Permission] = [:]
        var watches: [Permission: [WatchID]] = [:]
        var requests: [(RequestID, Client)] = []
        var decided: [Client] = []
        var changed: [Client] = []
        for client in clients.values where isConcerned(client) {
            let identity = Identity(client.principal)
            let permission = known[identity] ?? self.permission(of: client.principal)
            known[identity] = permission
            guard permission != client.permission else { continue }
            if permission.mayReceive != client.permission.mayReceive { changed.append(client) }
            client.permission = permission
            limitRequests(of: client)
            switch client.activity {
            case .watching(let id): watches[permission, default: []].append(id)
            case .requesting(let id): requests.append((id, client))
            case .authorizing where permission.authorization != .notDetermined: decided.append(client)
            case .idle, .authorizing, .refused: break
            }
        }
        // First of all nobody may get what is no longer theirs: that a demand ends may answer requests.
        for (id, client) in requests { hub.setPermission(client.permission, of: id) }
        for (id, client) in requests where !client.permission.mayReceive { cancel(id, of: client) }
        for (permission, ids) in watches { perform(hub.setPermission(permission, of: ids, at: now)) }
        for (id, client) in requests where client.permission.mayReceive {
            perform(hub.reconsiderRequest(id, at: now))
        }
        for client in decided { answerAuthorization(of: client) }
        if let cause { noteChanges(of: changed, by: cause) }
    }

    /// What is kept for users counts by whether they may know the position.
    func refreshKeptMonitors() {
        let authority = authority
        perform(hub.reviewKeptMonitors { authority.isAuthorized(uid: $0) })
    }

    /// A request for one location may not be answered any more.
    private func cancel(_ id: RequestID, of client: Client) {
        guard requesters.removeValue(forKey: id) != nil else { return }
        client.activity = .idle
        perform(hub.cancelRequest(id, at: now))
        client.connection.fail(refusal(of: client))
    }
}

/// All that a decision looks at.
private struct Identity: Hashable {
    let uid: UInt32
    let groups: Set<UInt32>
    let unit: String?
    let bridge: Bridge?

    init(_ principal: Principal) {
        uid = principal.uid
        groups = principal.groups
        unit = principal.unit
        bridge = principal.bridge
    }
}
