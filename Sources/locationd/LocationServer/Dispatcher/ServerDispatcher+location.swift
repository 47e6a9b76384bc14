import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

extension ServerDispatcher {
    /// What serves a method.
    typealias Handler = @Sendable (ServerDispatcher) -> (Call, ServerClient) throws(ErrorReply) -> Void

    /// The methods of `org.locationd.location`; their rights are in ``LocationInterface/methods``.
    static let locationHandlers: [String: Handler] = {
        typealias Method = LocationInterface.Method
        return [
            Method.getStatus: replyStatus, Method.listReceivers: listReceivers, Method.getLocation: getLocation,
            Method.watch: watch, Method.requestAuthorization: requestAuthorization, Method.monitor: monitor,
            Method.changeRegions: changeRegions, Method.listMonitors: listMonitors,
            Method.removeMonitor: removeMonitor, Method.watchRequests: watchRequests, Method.watchUsage: watchUsage,
            Method.decide: decideOwn,
        ]
    }()

    func serveLocation(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        guard let handler = Self.locationHandlers[call.method] else {
            try spend(call, of: client, for: nil)
            throw .methodNotFound(call.method)
        }
        try serve(call, of: client) { service throws(ErrorReply) in try handler(service)(call, client) }
    }

    private func replyStatus(_: Call, to client: ServerClient) {
        client.call.purpose = client.label
        client.connection.reply(status(for: client))
    }

    private func listReceivers(_: Call, for client: ServerClient) {
        client.call.purpose = client.label
        let configured = environment.sources.reports
        let receivers = hub.receivers(for: client.permission).map { receiver in
            let named = client.permission.maySeeAll ? configured.first { $0.name == receiver.source }?.device : nil
            return LocationReceiver(source: receiver.source, device: receiver.device ?? named)
        }
        client.connection.reply(ReceiversReply(receivers: receivers))
    }

    private func getLocation(_ call: Call, from client: ServerClient) throws(ErrorReply) {
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
        connections.requesters[id] = client
        perform(hub.addRequest(id, request, permission: client.permission, account: client.id, at: now))
    }

    func answer(_ id: RequestID, _ answer: LocationAnswer) {
        guard let client = connections.requesters.removeValue(forKey: id) else { return }
        client.activity = .idle
        client.sent += 1
        let now = now
        if answer.location != nil {
            audit.recordDelivery(to: client)
            audit.listUsage(of: client)
            usageFeed.schedule()
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

    private func watch(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let request = try call.request(as: WatchRequest.self)
        guard call.more else { throw .expectedMore }
        client.call.request = "Watch"
        client.call.purpose = request.purpose?.sanitizedAsClaim() ?? client.label
        client.call.library = request.library?.sanitizedAsClaim()
        let actions = hub.addWatch(request, permission: client.permission, account: client.id, at: now) {
            delivery.bind(client, to: $0)
        }
        if !request.location { client.receivesSince = nil }
        if !client.permission.mayReceive { audit.recordRefusal(of: client) }
        perform(actions)
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
