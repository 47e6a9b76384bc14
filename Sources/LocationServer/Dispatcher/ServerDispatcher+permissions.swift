import Authorization
import LocationHub
import LocationModel
import VarlinkServer

/// What follows for connected clients when what they may know changes.
extension ServerDispatcher {
    /// Decisions, policy or sessions changed: clients are told, and those who may not know any more get nothing from
    /// here on.
    ///
    /// - Parameter cause: who is named in the history as the one who granted or revoked; `nil` if that is noted elsewhere
    ///   or not worth it.
    func refreshPermissions(cause: String? = nil, of isConcerned: (ServerClient) -> Bool = { _ in true }) {
        var known: [Identity: Permission] = [:]
        var watches: [Permission: [WatchID]] = [:]
        var requests: [(RequestID, ServerClient)] = []
        var decided: [ServerClient] = []
        var changed: [ServerClient] = []
        for client in clients.values where isConcerned(client) {
            let identity = Identity(client.principal)
            let permission = known[identity] ?? permissions.permission(of: client.principal)
            known[identity] = permission
            guard permission != client.permission else { continue }
            if permission.mayReceive != client.permission.mayReceive { changed.append(client) }
            client.permission = permission
            limitRequests(of: client)
            switch client.activity {
            case .watching(let id): watches[permission, default: []].append(id)
            case .requesting(let id): requests.append((id, client))
            case .authorizing where permission.authorization != .notDetermined: decided.append(client)
            case .idle, .authorizing: break
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
        if let cause { history.recordChanges(of: changed, by: cause) }
    }

    /// Named monitors count among the limits by whether their users may know the position.
    func refreshNamedMonitors() {
        let authority = permissions.authority
        perform(hub.reviewKeptMonitors { authority.isAuthorized(uid: $0) })
    }

    /// A request for one location may not be answered any more.
    private func cancel(_ id: RequestID, of client: ServerClient) {
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
