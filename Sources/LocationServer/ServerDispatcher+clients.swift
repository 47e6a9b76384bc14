import Authorization
import LocationHub
package import LocationInterface
import LocationModel
import Logging
import NIOCore
package import Varlink
package import VarlinkServer

extension LocationService: ConnectionOwner {
    /// A connection came in.
    /// - Returns: itself, or `nil` if the connection is to be closed at once.
    package func accept(_ connection: Connection, descriptor: Int32, socket: SocketKind) -> (any ConnectionOwner)? {
        // The rate comes first: to find out the rest costs more, and who connects too often is told nothing by it.
        guard case .value(let user) = settings.peerCalls.credentials(of: descriptor) else { return refuse("its user") }
        let caller = UserLimits.Caller(uid: user.uid, isSpared: settings.policy.isSparedLimits(uid: user.uid))
        let isTooFast = !limits.mayConnect(caller)
        let tree = isTooFast ? Self.noUnits : units
        let searches = tree.searches
        // To look for a control group that was not seen before takes as long as many calls.
        defer { if tree.searches > searches { limits.charge(searchCost, to: caller) } }
        guard let peer = Peer.identify(socket: descriptor, calls: settings.peerCalls, tree: tree) else {
            return refuse("who it is")
        }
        let principal = socket == .nmea ? peer.principal.reading(.nmea) : peer.principal
        let client = Client(
            id: number(), connection: connection, principal: principal, process: peer.process,
            permission: isTooFast ? Permission(.restricted) : permission(of: principal), socket: socket,
            since: utc)
        guard processes?.watch(client.process, as: client.id) == true else {
            counters.refusedConnections += 1
            logger.warning(
                "connection refused: no more processes can be watched", metadata: ["advice": "raise LimitNOFILE"])
            return nil
        }
        switch limits.enter(caller, isTooFast: isTooFast) {
        case .admitted:
            clients[client.id] = client
            noteChange()
            // Later, because the channel does not send yet.
            if socket == .nmea { loop.assumeIsolated().execute { [weak self] in self?.beginReading(client) } }
        case .refused(let limit, let isOwn):
            counters.refusedConnections += 1
            logLimit(
                isTooFast ? "requests-per-second" : isOwn ? "clients-per-user" : "clients", limit, of: principal)
            client.activity = .refused(isTooFast ? .tooManyRequests(limit: limit) : .tooManyClients(limit: limit))
            limits.leaveRefused(caller, connection)
        case .shut:
            counters.refusedConnections += 1
            return nil
        }
        if !caller.isSpared { connection.takeTurns(by: limits.scheduler, as: caller.uid) }
        limitRequests(of: client)
        clientsByConnection[ObjectIdentifier(connection)] = client
        noteCrowd()
        return self
    }

    /// What it costs to look for a control group: a fifth of what a user may ask in a second, with the connection's own unit.
    private var searchCost: Double { settings.limits.requestsPerSecond / 5 - 1 }

    /// Who has been refused has no need for long requests; who waits for a decision may have many regions to name.
    func limitRequests(of client: Client) {
        guard client.socket != .nmea else { return }
        let isRefused = [.denied, .restricted].contains(client.permission.authorization)
        client.connection.requestLimit = isRefused ? settings.requestLimitRefused : settings.limits.requestSize
    }

    func caller(_ client: Client) -> UserLimits.Caller {
        UserLimits.Caller(
            uid: client.principal.uid, isSpared: settings.policy.isSparedLimits(client.principal))
    }

    private func refuse(_ what: String) -> (any ConnectionOwner)? {
        counters.refusedConnections += 1
        logger.debug("connection refused: the kernel does not say", metadata: ["what": "\(what)"])
        return nil
    }

    private static var noUnits: ControlGroupTree { ControlGroupTree(roots: []) }

    package func connection(_ connection: Connection, received call: Call) {
        guard let client = clientsByConnection[ObjectIdentifier(connection)] else { return connection.close() }
        if case .refused(let error) = client.activity {
            connection.fail(error)
            return connection.closeGracefully()
        }
        guard limits.admit(call, of: caller(client), on: connection) else {
            logLimit("requests-per-second", limits.callsPerSecond, of: client.principal)
            connection.fail(.tooManyRequests(limit: limits.callsPerSecond))
            return
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
        guard let client = clientsByConnection[ObjectIdentifier(connection)] else { return }
        logger.debug(
            "connection ended over a bad request",
            metadata: ["client": "\(client.id)", "pid": "\(client.principal.pid)"])
        release(client)
    }

    package func connectionFellBehind(_ connection: Connection) {
        guard let client = clientsByConnection[ObjectIdentifier(connection)] else { return }
        watchForStall(client)
    }

    package func connectionDrained(_ connection: Connection) {
        guard let client = clientsByConnection[ObjectIdentifier(connection)] else { return }
        catchUp(client)
    }

    package func connectionClosed(_ connection: Connection) {
        guard let client = clientsByConnection.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        if clientsByConnection.isEmpty { allGone?.succeed() }
        noteCrowd()
        if case .refused = client.activity { return }
        release(client)
        clients[client.id] = nil
        limits.leave(caller(client))
        noteChange()
    }

    /// Who leaves last takes a moment: what they had is free once they are all done with.
    private func noteCrowd() {
        guard crowdLevel.hasFallen(to: clientsByConnection.count) else { return }
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in self?.hooks.crowdLeft() }
    }

    /// Ends what the client was doing.
    private func release(_ client: Client) {
        client.behindSince = nil
        switch client.activity {
        case .watching(let id):
            unseat(client, from: id)
            perform(hub.endWatch(id, at: now))
        case .requesting(let id):
            requesters[id] = nil
            client.activity = .idle
            perform(hub.cancelRequest(id, at: now))
        case .authorizing: client.activity = .idle
        case .idle, .refused: break
        }
    }

    /// The process that made the connection is gone; whoever inherited the socket gets nothing more.
    func processEnded(_ id: Int) {
        guard let client = clients[id] else { return }
        logger.debug("the connecting process ended", metadata: ["client": "\(id)", "pid": "\(client.principal.pid)"])
        client.connection.close()
    }

    private func dispatch(_ call: Call, from client: Client) throws(ErrorReply) {
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
