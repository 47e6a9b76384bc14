import Authorization
import LocationHub
@_spi(Programs) package import LocationInterface
@_spi(Programs) import LocationModel
import Logging
package import ServiceServer
package import Varlink

/// Connections and their calls.
extension ServerDispatcher: ConnectionOwner {
    /// Admits a new connection.
    /// - Returns: the dispatcher, or `nil` if the connection is to be closed at once.
    package func accept(_ connection: Connection, descriptor: Int32, socket: SocketKind) -> (any ConnectionOwner)? {
        // The rate is checked first: the other checks cost more, and a user that connects too often gains nothing from
        // them.
        guard case .value(let user) = settings.peerCalls.credentials(of: descriptor) else { return refuse("its user") }
        var caller = connections.caller(
            of: user.uid, connectsForOthers: connections.usersServingOthers.contains(user.uid))
        let isTooFast = !connections.limits.mayConnect(caller)
        let tree = isTooFast ? Self.noUnits : connections.units
        let searches = tree.searches
        // Searching for a control group not seen before takes as long as many calls.
        defer { if tree.searches > searches { connections.limits.charge(searchCost, to: caller) } }
        guard let peer = Peer.identify(socket: descriptor, calls: settings.peerCalls, tree: tree) else {
            return refuse("its identity")
        }
        decisions.endDueDecisions()
        let number = connections.newNumber()
        guard connections.processes?.watch(peer.process, as: number) == true else {
            connections.refusedCount += 1
            logger.warning(
                "connection refused: no more processes can be watched", metadata: ["advice": "raise LimitNOFILE"])
            return nil
        }
        let principal = socket == .nmea ? peer.principal.reading(.nmea) : peer.principal
        let mayServeOthers = settings.policy.mayServeOthers(principal)
        caller = connections.caller(of: user.uid, connectsForOthers: mayServeOthers)
        let refusal: ErrorReply?
        switch connections.limits.enter(caller, isTooFast: isTooFast) {
        case .admitted: refusal = nil
        case .refused(let limit, let isOwn):
            logger.logLimit(
                isTooFast ? "requests-per-second" : isOwn ? "clients-per-user" : "clients", limit, of: principal)
            refusal = isTooFast ? .tooManyRequests(limit: limit) : .tooManyClients(limit: limit)
            connections.refusedCount += 1
        case .shut:
            connections.refusedCount += 1
            return nil
        }
        let client = ServerClient(
            id: number, connection: connection, caller: caller, principal: principal, process: peer.process,
            permission: isTooFast ? Permission(.restricted) : decisions.permission(of: principal),
            socket: socket, mayServeOthers: mayServeOthers, since: utc, refusal: refusal)
        connections.add(client)
        guard refusal == nil else { return self }
        decisions.admit(client)
        reporter.scheduleReport()
        // Deferred, because the channel cannot send yet.
        if socket == .nmea { loop.enqueue { [weak self] in self?.beginSentences(for: client) } }
        return self
    }

    /// What a search for a control group costs: together with the connection's own unit, a fifth of what one user may
    /// spend in a second.
    private var searchCost: Double { settings.limits.requestsPerSecond / 5 - 1 }

    private func refuse(_ what: String) -> (any ConnectionOwner)? {
        connections.refusedCount += 1
        logger.debug("connection refused: the kernel does not report the client", metadata: ["what": "\(what)"])
        return nil
    }

    private static var noUnits: ControlGroupTree { ControlGroupTree(roots: []) }

    package func connection(_ connection: Connection, received call: Call) {
        guard let client = connections.registry.client(of: connection) else { return connection.close() }
        // Where a program may be named, its user's rate is spent and not the caller's; see `spend`.
        switch connections.registry.admit(call, of: client, spends: !client.mayBeginServing) {
        case .refused: return
        case .tooManyCalls:
            connection.fail(connections.tooManyRequests(of: client.principal))
            return
        case .admitted: break
        }
        client.call = CallContext()
        decisions.endDueDecisions()
        do throws(ErrorReply) {
            try dispatch(call, from: client)
        } catch {
            connections.badRequests += 1
            connection.fail(error)
        }
    }

    package func connection(_ connection: Connection, violated error: ErrorReply) {
        connections.badRequests += 1
        guard let client = connections.registry.client(of: connection) else { return }
        logger.debug(
            "connection closed because of an invalid request",
            metadata: ["client": "\(client.id)", "pid": "\(client.principal.pid)"])
        release(client)
    }

    package func connectionClosed(_ connection: Connection) {
        guard let client = connections.registry.remove(connection) else { return }
        connections.trimHeapIfWorthwhile()
        guard client.refusal == nil else { return }
        release(client)
        connections.forget(client, receiverTime: locations.hub.closeAccount(client.id, at: now))
        decisions.noteConnection(of: client, isOpen: false)
        reporter.scheduleReport()
    }

    /// Ends the client's watch, request or wait.
    private func release(_ client: ServerClient) {
        client.behindSince = nil
        switch client.activity {
        case .watching, .requesting: locations.release(client)
        case .authorizing: client.activity = .idle
        case .watchingRequests:
            client.activity = .idle
            decisions.forget(client)
        case .watchingUsage:
            client.activity = .idle
            usage.feed.forget(client)
        case .idle: break
        }
        client.call.question?.withdraw()
    }

    /// The process that made the connection has ended: a process that inherited the socket receives nothing more.
    package func processEnded(_ id: Int) {
        decisions.endProcessDecisions()
        guard let client = connections.clients[id] else { return }
        logger.debug("the connecting process ended", metadata: ["client": "\(id)", "pid": "\(client.principal.pid)"])
        client.connection.close()
    }

    // MARK: The NMEA socket

    /// Starts the watch of a connection to the NMEA socket, which makes no calls.
    private func beginSentences(for client: ServerClient) {
        guard !context.isFinishing, connections.contains(client), case .idle = client.activity else { return }
        client.call.request = "NMEA"
        decisions.requestAuthorizationOfReader(client)
        locations.beginSentences(for: client)
    }
}
