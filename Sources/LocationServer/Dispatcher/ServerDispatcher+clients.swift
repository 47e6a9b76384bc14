import Authorization
import LocationHub
package import LocationInterface
import LocationModel
import Logging
package import Varlink
package import VarlinkServer

/// Connections, and their calls.
extension ServerDispatcher: ConnectionOwner {
    /// A connection came in.
    /// - Returns: itself, or `nil` if the connection is to be closed at once.
    package func accept(_ connection: Connection, descriptor: Int32, socket: SocketKind) -> (any ConnectionOwner)? {
        // The rate comes first: to find out the rest costs more, and a user that connects too often learns nothing by it.
        guard case .value(let user) = settings.peerCalls.credentials(of: descriptor) else { return refuse("its user") }
        let caller = UserLimits.Caller(uid: user.uid, isExempt: settings.policy.isExemptFromLimits(uid: user.uid))
        let isTooFast = !limits.mayConnect(caller)
        let tree = isTooFast ? Self.noUnits : units
        let searches = tree.searches
        // To look for a control group that was not seen before takes as long as many calls.
        defer { if tree.searches > searches { limits.charge(searchCost, to: caller) } }
        guard let peer = Peer.identify(socket: descriptor, calls: settings.peerCalls, tree: tree) else {
            return refuse("who it is")
        }
        let number = newNumber()
        guard processes?.watch(peer.process, as: number) == true else {
            counters.refusedConnections += 1
            logger.warning(
                "connection refused: no more processes can be watched", metadata: ["advice": "raise LimitNOFILE"])
            return nil
        }
        let principal = socket == .nmea ? peer.principal.reading(.nmea) : peer.principal
        let refusal: ErrorReply?
        switch limits.enter(caller, isTooFast: isTooFast) {
        case .admitted: refusal = nil
        case .refused(let limit, let isOwn):
            logger.logLimit(
                isTooFast ? "requests-per-second" : isOwn ? "clients-per-user" : "clients", limit, of: principal)
            refusal = isTooFast ? .tooManyRequests(limit: limit) : .tooManyClients(limit: limit)
            counters.refusedConnections += 1
        case .shut:
            counters.refusedConnections += 1
            return nil
        }
        let client = ServerClient(
            id: number, connection: connection, caller: caller, principal: principal, process: peer.process,
            permission: isTooFast ? Permission(.restricted) : permissions.permission(of: principal), socket: socket,
            since: utc, refusal: refusal)
        limitRequests(of: client)
        registry.add(client)
        trimHeapIfWorthwhile()
        guard refusal == nil else { return self }
        clients[client.id] = client
        reporter.scheduleReport()
        // Later, because the channel does not send yet.
        if socket == .nmea { loop.enqueue { [weak self] in self?.beginSentences(for: client) } }
        return self
    }

    /// What it costs to look for a control group: a fifth of what a user may ask in a second, with the connection's own unit.
    private var searchCost: Double { settings.limits.requestsPerSecond / 5 - 1 }

    /// A client that was refused authorization has no need for long requests; one that waits for a decision may have many
    /// regions to name.
    func limitRequests(of client: ServerClient) {
        guard client.socket != .nmea else { return }
        let isRefused = [.denied, .restricted].contains(client.permission.authorization)
        client.connection.requestLimit = isRefused ? settings.requestLimitRefused : settings.limits.requestSize
    }

    private func refuse(_ what: String) -> (any ConnectionOwner)? {
        counters.refusedConnections += 1
        logger.debug("connection refused: the kernel does not say", metadata: ["what": "\(what)"])
        return nil
    }

    private static var noUnits: ControlGroupTree { ControlGroupTree(roots: []) }

    package func connection(_ connection: Connection, received call: Call) {
        guard let client = registry.client(of: connection) else { return connection.close() }
        switch registry.admit(call, of: client) {
        case .refused: return
        case .tooManyCalls:
            logger.logLimit("requests-per-second", limits.callsPerSecond, of: client.principal)
            connection.fail(.tooManyRequests(limit: limits.callsPerSecond))
            return
        case .admitted: break
        }
        client.request = nil
        client.purpose = nil
        do throws(ErrorReply) {
            try dispatch(call, from: client)
        } catch {
            counters.badRequests += 1
            connection.fail(error)
        }
    }

    package func connection(_ connection: Connection, violated error: ErrorReply) {
        counters.badRequests += 1
        guard let client = registry.client(of: connection) else { return }
        logger.debug(
            "connection ended over a bad request",
            metadata: ["client": "\(client.id)", "pid": "\(client.principal.pid)"])
        release(client)
    }

    package func connectionFellBehind(_ connection: Connection) {
        guard let client = registry.client(of: connection), client.behindSince == nil else { return }
        let since = now
        client.behindSince = since
        awaitProgress(of: client, behindSince: since)
    }

    /// Disconnects a client that has read nothing for the whole of the patience. One that reads slowly may take longer than
    /// that until everything is read: the kernel reports room when three quarters are.
    private func awaitProgress(of client: ServerClient, behindSince since: BootInstant) {
        let unread = client.connection.unread
        loop.schedule(after: settings.limits.stalledTimeout) { [weak self, weak client] in
            guard let self, let client, client.behindSince == since else { return }
            guard client.connection.unread >= unread else {
                return self.awaitProgress(of: client, behindSince: since)
            }
            self.disconnect(
                client, reason: "it has read nothing in \(self.settings.limits.stalledTimeout) s of what was sent to it"
            )
        }
    }

    /// The client has read everything: it gets what was held back, as far as it reads on.
    package func connectionDrained(_ connection: Connection) {
        guard let client = registry.client(of: connection) else { return }
        client.behindSince = nil
        if case .watching(let id) = client.activity { sendHeld(id) }
    }

    package func connectionClosed(_ connection: Connection) {
        guard let client = registry.remove(connection) else { return }
        trimHeapIfWorthwhile()
        guard client.refusal == nil else { return }
        release(client)
        clients[client.id] = nil
        reporter.scheduleReport()
    }

    /// A moment later, because the memory of clients that leave together is free once they are all done with.
    private func trimHeapIfWorthwhile() {
        guard heapTrim.isWorthwhile(at: registry.count) else { return }
        loop.schedule(after: 1) { [weak self] in self?.environment.operations.trimHeap() }
    }

    /// Ends what the client was doing.
    private func release(_ client: ServerClient) {
        client.behindSince = nil
        switch client.activity {
        case .watching(let id):
            delivery.unbind(client, from: id)
            perform(hub.endWatch(id, at: now))
        case .requesting(let id):
            requesters[id] = nil
            client.activity = .idle
            perform(hub.cancelRequest(id, at: now))
        case .authorizing: client.activity = .idle
        case .idle: break
        }
    }

    /// The process that made the connection is gone; a process that inherited the socket gets nothing more.
    package func processEnded(_ id: Int) {
        guard let client = clients[id] else { return }
        logger.debug("the connecting process ended", metadata: ["client": "\(id)", "pid": "\(client.principal.pid)"])
        client.connection.close()
    }

    func disconnect(_ client: ServerClient, reason: String) {
        logger.log(
            .clientLetGo,
            [
                "client": "\(client.id)", "pid": "\(client.principal.pid)", "principal": "\(client.principal)",
                "reason": "\(reason)",
            ])
        client.connection.close()
    }

    private func dispatch(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let description = client.socket == .control ? adminDescription : description
        switch call.interface {
        case ServiceDescription.serviceInterface.name[...]:
            client.connection.reply(AnyParameters(try description.answer(call)))
        case LocationInterface.name[...]:
            try serveLocation(call, from: client)
        case AdminInterface.name[...] where client.socket == .control:
            guard settings.policy.mayAdminister(client.principal) else {
                logger.log(
                    .administrationRefused,
                    ["principal": "\(client.principal)", "pid": "\(client.principal.pid)"])
                throw .permissionDenied
            }
            try serveAdmin(call, from: client)
        default:
            throw .interfaceNotFound(call.interface)
        }
    }

    // MARK: The NMEA socket

    /// A connection to the NMEA socket is a watch from the beginning, and makes no calls.
    private func beginSentences(for client: ServerClient) {
        guard !isFinishing, clients[client.id] === client, case .idle = client.activity else { return }
        client.request = "NMEA"
        requestAuthorizationOfReader(client)
        let (id, actions) = hub.addWatch(WatchRequest(), permission: client.permission, at: now)
        delivery.bind(client, to: id)
        if !client.permission.mayReceive { history.recordRefusal(of: client) }
        perform(actions)
    }

    /// Its reader cannot ask for authorization, so its connection does.
    private func requestAuthorizationOfReader(_ client: ServerClient) {
        guard client.permission.authorization == .notDetermined else { return }
        let request = AuthorizationRequest(.always, purpose: "the NMEA socket was opened", time: utc)
        // Where too many wait already, a later connection asks again.
        try? record(request, from: client)
    }
}

/// Parameters whose type is known only at run time.
private struct AnyParameters: Encodable {
    let value: any Encodable

    init(_ value: any Encodable) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
