import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// Requests for authorization and their replies.
extension DecisionCalls {
    func requestAuthorization(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let parameters = try call.request(as: RequestAuthorizationParameters.self)
        client.call.request = "RequestAuthorization"
        client.call.purpose = parameters.purpose?.sanitizedAsClaim() ?? client.label
        client.claimedName = parameters.program?.sanitizedAsClaim()
        // A decision about this process is about what it runs now.
        if client.image == nil { client.image = client.program?.image }
        // Where another program waits already, one that states no purpose joins its request.
        let stated = client.call.purpose
        let purpose = stated == client.label ? pendingPurpose(of: client) ?? stated : stated
        let request = AuthorizationRequest(
            parameters.level == .always ? .always : .whenInUse, purpose: purpose,
            fullAccuracy: parameters.fullAccuracy == true, time: utc)
        guard isUndecided(request, of: client) else { return answerAuthorization(of: client) }
        if call.more { try admitWaiting(client) }
        try record(request, from: client)
        guard call.more, isUndecided(request, of: client) else { return answerAuthorization(of: client) }
        client.activity = .authorizing(fullAccuracy: request.fullAccuracy == true)
        client.connection.reply(locations.status(for: client), continues: true)
    }

    private func pendingPurpose(of client: ServerClient) -> String? {
        guard case .known(let table) = permissions.authority.decisions,
            let entry = table.entries[client.principal.subject], entry.isPending
        else { return nil }
        return entry.request?.purpose
    }

    /// True if a decision may grant more of what is requested than the client has.
    private func isUndecided(_ request: AuthorizationRequest, of client: ServerClient) -> Bool {
        let permission = client.permission
        switch permission.authorization {
        case .notDetermined: return true
        case .authorizedWhenInUse where request.level == .always: return true
        case .authorizedWhenInUse, .authorizedAlways:
            return request.fullAccuracy == true && permission.accuracy != .full
                && permissions.authority.mayGrantFullAccuracy(to: client.principal)
        case .restricted, .denied, .unknown: return false
        }
    }

    /// Sends the last reply: the decision, or the status that applies without one.
    func answerAuthorization(of client: ServerClient) {
        client.activity = .idle
        client.connection.reply(locations.status(for: client))
    }

    private func admitWaiting(_ client: ServerClient) throws(ErrorReply) {
        guard !client.caller.isExempt else { return }
        let waiting = connections.clients.values.count { other in
            guard case .authorizing = other.activity else { return false }
            return other.principal.uid == client.principal.uid
        }
        let limit = settings.limits.authorizationsPerUser
        guard waiting < limit else {
            logger.logLimit("authorizations-per-user", limit, of: client.principal)
            throw .tooManyAuthorizations(limit: limit)
        }
    }

    /// Requests authorization for a connection to the NMEA socket, which makes no calls.
    func requestAuthorizationOfReader(_ client: ServerClient) {
        guard client.permission.authorization == .notDetermined else { return }
        let request = AuthorizationRequest(.always, purpose: "the NMEA socket was opened", time: utc)
        // If too many requests are pending, a later connection makes the request again.
        try? record(request, from: client)
    }

    private func record(_ request: AuthorizationRequest, from client: ServerClient) throws(ErrorReply) {
        guard case .known(var table) = permissions.authority.decisions else { return }
        let subject = client.principal.subject
        switch table.record(request, of: subject) {
        case .refused: throw .tooManyAuthorizations(limit: DecisionTable.undecidedLimit)
        case .known: requestFeed.schedule()
        case .changed:
            permissions.authority.decisions = .known(table)
            environment.state.persistDecisionsSoon(table)
            audit.recordRequest(request, of: client)
            refreshPermissions { $0.principal.subject == subject }
        }
    }
}
