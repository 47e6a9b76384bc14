import Authorization
import LocationHub
@_spi(Programs) import LocationModel
import ServiceServer

/// Applies changes of permission to connected clients.
extension ServerDispatcher {
    /// Recomputes permissions after a change of decisions, policy or sessions. Clients are informed, and those without
    /// permission receive nothing from here on.
    ///
    /// - Parameter cause: who granted or revoked, for the audit; `nil` if that is recorded elsewhere or is not to be
    ///   recorded.
    func refreshPermissions(cause: String? = nil, of isConcerned: (ServerClient) -> Bool = { _ in true }) {
        // What waits for a decision may have changed, too, whoever is connected.
        reporter.scheduleReport()
        requestFeed.schedule()
        usageFeed.schedule()
        var known: [Identity: Permission] = [:]
        var watches: [Permission: [WatchID]] = [:]
        var requests: [(RequestID, ServerClient)] = []
        var decided: [ServerClient] = []
        var changed: [ServerClient] = []
        for client in connections.clients.values where isConcerned(client) {
            let own = decisionThisTime(about: client)
            let identity = Identity(client.principal, own)
            let permission =
                known[identity] ?? permissions.permission(of: client.principal, thisTime: own, for: self)
            known[identity] = permission
            guard permission != client.permission else { continue }
            if permission.mayReceive != client.permission.mayReceive { changed.append(client) }
            // What it was sent until now it was sent under the former permission.
            listUsage(of: client)
            if permission.mayReceive, !client.permission.mayReceive, client.receivesSince != nil {
                client.receivesSince = now
            }
            client.permission = permission
            limitRequests(of: client)
            switch client.activity {
            case .watching(let id): watches[permission, default: []].append(id)
            case .requesting(let id): requests.append((id, client))
            case .authorizing(let full) where !(full ? permission.isAccuracyUndecided : permission.isUndecided):
                decided.append(client)
            case .idle, .authorizing, .watchingRequests, .watchingUsage: break
            }
        }
        // Revocations first: the end of a demand may answer requests, and those without permission must not get an
        // answer.
        for (id, client) in requests { hub.setPermission(client.permission, of: id) }
        for (id, client) in requests where !client.permission.mayReceive { cancel(id, of: client) }
        for (permission, ids) in watches { perform(hub.setPermission(permission, of: ids, at: now)) }
        for (id, client) in requests where client.permission.mayReceive {
            perform(hub.reconsiderRequest(id, at: now))
        }
        for client in decided { answerAuthorization(of: client) }
        if let cause { audit.recordChanges(of: changed, by: cause) }
    }

    /// Recounts the named monitors against the limits, which depend on whether their users have permission.
    func refreshNamedMonitors() {
        let authority = permissions.authority
        perform(hub.reviewPersistedMonitors { authority.isAuthorized(uid: $0) })
    }

    /// Refuses a pending request for one location.
    private func cancel(_ id: RequestID, of client: ServerClient) {
        guard connections.requesters.removeValue(forKey: id) != nil else { return }
        client.activity = .idle
        perform(hub.cancelRequest(id, at: now))
        client.connection.fail(refusal(of: client))
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
