import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// One location, and watches of locations.
extension LocationCalls {
    func replyStatus(_: Call, to client: ServerClient) {
        client.call.purpose = client.label
        client.connection.reply(status(for: client))
    }

    func listReceivers(_: Call, for client: ServerClient) {
        client.call.purpose = client.label
        let configured = environment.sources.reports
        let receivers = hub.receivers(for: client.permission).map { receiver in
            let named = client.permission.maySeeAll ? configured.first { $0.name == receiver.source }?.device : nil
            return LocationReceiver(source: receiver.source, device: receiver.device ?? named)
        }
        client.connection.reply(ReceiversReply(receivers: receivers))
    }

    func getLocation(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        // Checked before the parameters are decoded: decoding for a client without permission would waste time.
        guard client.permission.mayReceive else {
            audit.recordRefusal(of: client)
            throw refusal(of: client)
        }
        let request = try call.request(as: LocationRequest.self)
        let id = RequestID(number: connections.newNumber())
        client.activity = .requesting(id)
        client.call.request = "GetLocation"
        client.call.purpose = client.label
        requesters[id] = client
        perform(hub.addRequest(id, request, permission: client.permission, account: client.id, at: now))
    }

    func answer(_ id: RequestID, _ answer: LocationAnswer) {
        guard let client = requesters.removeValue(forKey: id) else { return }
        client.activity = .idle
        client.sent += 1
        let now = now
        if answer.location != nil {
            audit.recordDelivery(to: client)
            usage.addUnlisted(of: client)
            usage.feed.schedule()
        }
        switch answer {
        case .location(let location):
            client.connection.reply(LocationReply(location: Aged(location, at: now)))
        case .disabled: client.connection.fail(.disabled)
        case .timedOut(let best): client.connection.fail(.timedOut(best: best.map { Aged($0, at: now) }))
        case .unavailable(let reason, let best):
            client.connection.fail(.locationUnavailable(reason: reason, best: best.map { Aged($0, at: now) }))
        }
    }

    /// The error for a client without permission: the reason, and who can change it.
    func refusal(of client: ServerClient) -> ErrorReply {
        .notAuthorized(client.permission.authorization, reason: client.permission.reason ?? "nobody allowed it")
    }

    func watch(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let request = try call.request(as: WatchRequest.self)
        guard call.more else { throw .expectedMore }
        client.call.request = "Watch"
        client.call.purpose = request.purpose?.sanitizedAsClaim() ?? client.label
        client.call.library = request.library?.sanitizedAsClaim()
        beginWatch(request, of: client)
    }

    /// Starts the watch of a connection to the NMEA socket, which makes no calls.
    func beginSentences(for client: ServerClient) {
        var request = WatchRequest()
        request.satellites = true
        beginWatch(request, of: client)
    }

    private func beginWatch(_ request: WatchRequest, of client: ServerClient) {
        let actions = hub.addWatch(request, permission: client.permission, account: client.id, at: now) {
            delivery.bind(client, to: $0)
        }
        if !request.location { client.receivesSince = nil }
        if !client.permission.mayReceive { audit.recordRefusal(of: client) }
        perform(actions)
    }

    /// The connection of a client has ended: so does its watch, monitor or request.
    func release(_ client: ServerClient) {
        switch client.activity {
        case .watching(let id):
            delivery.unbind(client, from: id)
            perform(hub.endWatch(id, at: now))
        case .requesting(let id):
            requesters[id] = nil
            client.activity = .idle
            perform(hub.cancelRequest(id, at: now))
        case .idle, .authorizing, .watchingRequests, .watchingUsage: break
        }
    }
}

/// What the decisions need of the hub.
protocol PermissionEffects: AnyObject {
    /// Whether locations of reduced accuracy can be made.
    var hasReducedLocations: Bool { get }
    /// The status that a client may see.
    func status(for client: ServerClient) -> StatusReply
    /// The permissions of clients have changed: they are informed, and those without permission receive nothing from
    /// here on.
    func applyPermissions(of clients: [ServerClient])
    /// Recounts the named monitors against the limits, which depend on whether their users have permission.
    func reviewNamedMonitors(_ isAuthorized: (UInt32) -> Bool?)
}

/// Applies changes of permission to watches and requests.
extension LocationCalls: PermissionEffects {
    var hasReducedLocations: Bool { hub.reduction != nil }

    func status(for client: ServerClient) -> StatusReply {
        StatusReply(status: hub.status(for: client.permission, at: now))
    }

    func applyPermissions(of clients: [ServerClient]) {
        var watches: [Permission: [WatchID]] = [:]
        var requests: [(RequestID, ServerClient)] = []
        for client in clients {
            switch client.activity {
            case .watching(let id): watches[client.permission, default: []].append(id)
            case .requesting(let id): requests.append((id, client))
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
    }

    func reviewNamedMonitors(_ isAuthorized: (UInt32) -> Bool?) {
        perform(hub.reviewPersistedMonitors(isAuthorized))
    }

    /// Refuses a pending request for one location.
    private func cancel(_ id: RequestID, of client: ServerClient) {
        guard requesters.removeValue(forKey: id) != nil else { return }
        client.activity = .idle
        perform(hub.cancelRequest(id, at: now))
        client.connection.fail(refusal(of: client))
    }
}

extension Call {
    /// Decodes and validates the method's parameters.
    ///
    /// - Throws: ``ErrorReply`` `InvalidParameter`, naming the first parameter that is missing, of a wrong type or out
    ///   of range.
    func request<Request: ClientRequest>(as type: Request.Type) throws(ErrorReply) -> Request {
        let request = try parameters(as: type)
        do throws(InvalidField) { return try request.validated() } catch {
            throw .invalidParameter(error.field, reason: error.reason)
        }
    }
}
