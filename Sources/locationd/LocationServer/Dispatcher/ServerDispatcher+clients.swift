import Authorization
import LocationHub
@_spi(Programs) package import LocationInterface
@_spi(Programs) import LocationModel
import Logging
package import ServiceServer
@_spi(Programs) import SystemSupport
package import Varlink

/// Connections and their calls.
extension ServerDispatcher: ConnectionOwner {
    /// Admits a new connection.
    /// - Returns: the dispatcher, or `nil` if the connection is to be closed at once.
    package func accept(_ connection: Connection, descriptor: Int32, socket: SocketKind) -> (any ConnectionOwner)? {
        // The rate is checked first: the other checks cost more, and a user that connects too often gains nothing from
        // them.
        guard case .value(let user) = settings.peerCalls.credentials(of: descriptor) else { return refuse("its user") }
        var caller = caller(of: user.uid, connectsForOthers: usersServingOthers.contains(user.uid))
        let isTooFast = !limits.mayConnect(caller)
        let tree = isTooFast ? Self.noUnits : connections.units
        let searches = tree.searches
        // Searching for a control group not seen before takes as long as many calls.
        defer { if tree.searches > searches { limits.charge(searchCost, to: caller) } }
        guard let peer = Peer.identify(socket: descriptor, calls: settings.peerCalls, tree: tree) else {
            return refuse("its identity")
        }
        endDueDecisions()
        let number = connections.newNumber()
        guard connections.processes?.watch(peer.process, as: number) == true else {
            counters.refusedConnections += 1
            logger.warning(
                "connection refused: no more processes can be watched", metadata: ["advice": "raise LimitNOFILE"])
            return nil
        }
        let principal = socket == .nmea ? peer.principal.reading(.nmea) : peer.principal
        let mayServeOthers = settings.policy.mayServeOthers(principal)
        caller = self.caller(of: user.uid, connectsForOthers: mayServeOthers)
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
            permission: isTooFast ? Permission(.restricted) : permissions.permission(of: principal, for: self),
            socket: socket,
            mayServeOthers: mayServeOthers, since: utc, refusal: refusal)
        limitRequests(of: client)
        connections.registry.add(client)
        trimHeapIfWorthwhile()
        guard refusal == nil else { return self }
        connections.clients[client.id] = client
        if !processDecisions.isEmpty {
            client.permission = permission(of: client)
            noteConnection(of: client, isOpen: true)
        }
        reporter.scheduleReport()
        // Deferred, because the channel cannot send yet.
        if socket == .nmea { loop.enqueue { [weak self] in self?.beginSentences(for: client) } }
        return self
    }

    /// Which limits apply to a user.
    func caller(of uid: UInt32, connectsForOthers: Bool = false) -> UserLimits.Caller {
        let isExempt = settings.policy.isExemptFromLimits(uid: uid)
        return UserLimits.Caller(
            uid: uid, isExempt: isExempt, connectsForOthers: connectsForOthers && !isExempt)
    }

    /// What a search for a control group costs: together with the connection's own unit, a fifth of what one user may
    /// spend in a second.
    private var searchCost: Double { settings.limits.requestsPerSecond / 5 - 1 }

    /// Limits the length of requests: a client that was refused authorization has no need for long ones. A client that
    /// waits for a decision may have many regions to name.
    func limitRequests(of client: ServerClient) {
        guard client.socket != .nmea else { return }
        let isRefused = [.denied, .restricted].contains(client.permission.authorization)
        client.connection.requestLimit = isRefused ? settings.requestLimitRefused : settings.limits.requestSize
    }

    private func refuse(_ what: String) -> (any ConnectionOwner)? {
        counters.refusedConnections += 1
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
            connection.fail(tooManyRequests(of: client.principal))
            return
        case .admitted: break
        }
        client.call = CallContext()
        endDueDecisions()
        do throws(ErrorReply) {
            try dispatch(call, from: client)
        } catch {
            counters.badRequests += 1
            connection.fail(error)
        }
    }

    package func connection(_ connection: Connection, violated error: ErrorReply) {
        counters.badRequests += 1
        guard let client = connections.registry.client(of: connection) else { return }
        logger.debug(
            "connection closed because of an invalid request",
            metadata: ["client": "\(client.id)", "pid": "\(client.principal.pid)"])
        release(client)
    }

    package func connectionClosed(_ connection: Connection) {
        guard let client = connections.registry.remove(connection) else { return }
        trimHeapIfWorthwhile()
        guard client.refusal == nil else { return }
        release(client)
        // Subscribers of requests for authorization see the names of the user's connected programs.
        if client.claimedName != nil || client.label != nil { requestFeed.schedule() }
        connections.clients[client.id] = nil
        noteConnection(of: client, isOpen: false)
        connections.receiverShares.add(hub.closeAccount(client.id, at: now), to: "\(client.principal)")
        reporter.scheduleReport()
    }

    /// Deferred, because the memory of clients that leave together is free only when all of them are released.
    private func trimHeapIfWorthwhile() {
        guard heapTrim.isWorthwhile(at: connections.registry.count) else { return }
        loop.schedule(after: 1) { [weak self] in self?.environment.operations.trimHeap() }
    }

    /// Ends the client's watch, request or wait.
    private func release(_ client: ServerClient) {
        client.behindSince = nil
        switch client.activity {
        case .watching(let id):
            delivery.unbind(client, from: id)
            perform(hub.endWatch(id, at: now))
        case .requesting(let id):
            connections.requesters[id] = nil
            client.activity = .idle
            perform(hub.cancelRequest(id, at: now))
        case .authorizing: client.activity = .idle
        case .watchingRequests:
            client.activity = .idle
            requestFeed.forget(client)
        case .watchingUsage:
            client.activity = .idle
            usageFeed.forget(client)
        case .idle: break
        }
        client.call.question?.withdraw()
    }

    /// The process that made the connection has ended: a process that inherited the socket receives nothing more.
    package func processEnded(_ id: Int) {
        endProcessDecisions()
        guard let client = connections.clients[id] else { return }
        logger.debug("the connecting process ended", metadata: ["client": "\(id)", "pid": "\(client.principal.pid)"])
        client.connection.close()
    }

    func disconnect(_ client: ServerClient, reason: String) {
        logger.log(
            .clientDisconnected,
            [
                "client": "\(client.id)", "pid": "\(client.principal.pid)", "principal": "\(client.principal)",
                "reason": "\(reason)",
            ])
        client.connection.close()
    }

    private func dispatch(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let description = client.socket == .control ? descriptions.administration : descriptions.own
        switch call.interface {
        case ServiceDescription.serviceInterface.name[...]:
            try spend(call, of: client, for: nil)
            client.connection.reply(AnyParameters(try description.answer(call)))
        case LocationInterface.name[...]:
            try serveLocation(call, from: client)
        case AdminInterface.name[...] where client.socket == .control || client.mayServeOthers:
            try administer(call, from: client)
        case AdminInterface.name[...] where isGated(call): try administerByGate(call, from: client)
        default:
            try spend(call, of: client, for: nil)
            throw .interfaceNotFound(call.interface)
        }
    }

    // MARK: The NMEA socket

    /// Starts the watch of a connection to the NMEA socket, which makes no calls.
    private func beginSentences(for client: ServerClient) {
        guard !isFinishing, connections.clients[client.id] === client, case .idle = client.activity else { return }
        client.call.request = "NMEA"
        requestAuthorizationOfReader(client)
        var request = WatchRequest()
        request.satellites = true
        let actions = hub.addWatch(request, permission: client.permission, account: client.id, at: now) {
            delivery.bind(client, to: $0)
        }
        if !client.permission.mayReceive { audit.recordRefusal(of: client) }
        perform(actions)
    }

    /// Requests authorization on behalf of an NMEA reader, which cannot make the call itself.
    private func requestAuthorizationOfReader(_ client: ServerClient) {
        guard client.permission.authorization == .notDetermined else { return }
        let request = AuthorizationRequest(.always, purpose: "the NMEA socket was opened", time: utc)
        // If too many requests are pending, a later connection makes the request again.
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
