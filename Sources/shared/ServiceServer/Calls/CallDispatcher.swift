import Logging
@_spi(Programs) import SystemSupport
import Varlink

/// Serves the connections: has each call validated, and answered in a task of its own.
///
/// Ownership: everything here belongs to one event loop; tasks return their answers to it. What calls contain is never
/// logged.
final class CallDispatcher<Answerer: CallAnswerer> {
    let loop: ServiceLoop
    let clock: ServiceClock
    let logger: Logger
    private let limits: CallLimits
    private let answerer: Answerer
    private let registry: ClientRegistry<CallingClient>
    private var slots: CallSlots
    private var openTasks = 0
    private var isEnding = false
    private var mayLogLimit = true
    /// Called when the service becomes used, or is no longer used.
    var isUsed: (Bool) -> Void = { _ in }
    /// Sent when no client is left and no call is pending.
    private var ended: LoopSignal<Bool>?

    init(loop: ServiceLoop, limits: CallLimits, answerer: Answerer, clock: ServiceClock, logger: Logger) {
        self.loop = loop
        self.limits = limits
        self.answerer = answerer
        self.clock = clock
        self.logger = logger
        let numbers = UserLimits.Numbers(
            connections: limits.clients, connectionsPerUser: limits.clientsPerUser,
            callsPerSecond: limits.requestsPerSecond)
        registry = ClientRegistry(UserLimits(numbers, loop: loop), on: loop)
        slots = CallSlots(limit: limits.calls, limitPerUser: limits.callsPerUser)
    }

    /// The limits of users.
    var users: UserLimits { registry.limits }

    var isIdle: Bool { registry.isEmpty }

    // MARK: Clients

    /// - Returns: the service, or `nil` if the connection is to be closed at once.
    func accept(_ connection: Connection, _ caller: UserLimits.Caller) -> (any ConnectionOwner)? {
        guard !isEnding else { return nil }
        let client: CallingClient
        let isTooFast = !users.mayConnect(caller)
        switch users.enter(caller, isTooFast: isTooFast) {
        case .admitted: client = CallingClient(connection: connection, caller: caller)
        case .refused(let limit, _):
            logLimit(isTooFast ? "requests-per-second" : "clients", limit, caller.uid)
            client = CallingClient(connection: connection, caller: caller, refusal: answerer.busy(limit: limit))
        case .shut: return nil
        }
        if registry.isEmpty { isUsed(true) }
        registry.add(client)
        awaitCall(of: client)
        return self
    }

    private func isPresent(_ client: CallingClient) -> Bool { registry.client(of: client.connection) === client }

    /// Counts connections that were closed unserved.
    func connectionsRefused(_ count: Int) {
        guard mayLogLimit else { return }
        logger.warning("a user connects too often", metadata: ["refused": "\(count)"])
        pauseLimitLog()
    }

    /// Disconnects a client that makes no call for too long.
    private func awaitCall(of client: CallingClient) {
        client.silence?()
        client.silence = after(limits.idleTimeout, for: client) { $0.connection.closeGracefully() }
    }

    private func after(
        _ seconds: Double, for client: CallingClient, _ body: @escaping @Sendable (CallingClient) -> Void
    ) -> Pause.Cancellation {
        let (loop, dispatcher, client) = (loop, loop.bind(self), loop.bind(Reference(client)))
        return clock.after(seconds) {
            loop.execute { if let client = client.value.client, dispatcher.value.isPresent(client) { body(client) } }
        }
    }

    private func logLimit(_ what: String, _ limit: Int, _ uid: UInt32) {
        guard mayLogLimit else { return }
        logger.warning("a limit is reached", metadata: ["of": "\(what)", "limit": "\(limit)", "uid": "\(uid)"])
        pauseLimitLog()
    }

    private func pauseLimitLog() {
        mayLogLimit = false
        loop.schedule(after: 60) { [weak self] in self?.mayLogLimit = true }
    }

    // MARK: Calls

    /// The parameter of calls on behalf of another.
    private struct NamedUser: Decodable { let user: UInt32? }

    /// Whose limits a call spends: those of the user that a trusted caller names, else the caller's own.
    private func payer(of call: Call, from client: CallingClient) -> UserLimits.Caller {
        let own = UserLimits.Caller(uid: client.uid, isExempt: client.uid == 0)
        guard answerer.trustedCallers?.contains(client.uid) == true,
            let user = try? call.parameters(as: NamedUser.self).user
        else { return own }
        return UserLimits.Caller(uid: user, isExempt: false)
    }

    private func dispatch(
        _ call: Call, from client: CallingClient, at payer: UserLimits.Caller
    ) throws(ErrorReply) {
        guard answerer.description.has(call.interface) else { throw .interfaceNotFound(call.interface) }
        guard call.interface != ServiceDescription.serviceInterface.name else {
            client.connection.reply(try answerer.description.answer(call))
            return
        }
        if let trusted = answerer.trustedCallers, !trusted.contains(client.uid),
            try call.parameters(as: NamedUser.self).user != nil
        {
            throw .permissionDenied
        }
        let request = try answerer.request(call)
        // The client would not receive the answer.
        if call.oneway { return _ = client.connection.reply(NoParameters()) }
        if let limit = slots.enter(uid: payer.uid) {
            logLimit("calls", limit, payer.uid)
            throw answerer.busy(limit: limit)
        }
        answer(request, for: client, at: payer.uid)
    }

    /// - Parameter payer: whose slot the call has.
    private func answer(_ request: Answerer.Request, for client: CallingClient, at payer: UInt32) {
        let (loop, dispatcher, uid) = (loop, loop.bind(self), client.uid)
        let reference = loop.bind(Reference(client))
        let answerer = answerer
        let replies = CallReplies { reply throws(CancellationError) in
            let isSent = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    loop.execute { dispatcher.value.send(reply, to: reference.value, continuation) }
                }
            } onCancel: {
                // A client that reads slowly does not hold up the end of its answer.
                loop.execute { reference.value.client?.cutShort() }
            }
            guard isSent else { throw CancellationError() }
        }
        client.silence?()
        client.isCutShort = false
        openTasks += 1
        client.call = Task {
            let outcome: Result<any Encodable & Sendable, ErrorReply>
            do throws(ErrorReply) {
                outcome = .success(try await answerer.answer(request, for: uid, replies))
            } catch {
                outcome = .failure(error)
            }
            loop.execute {
                dispatcher.value.slots.leave(uid: payer)
                dispatcher.value.finish(outcome, of: reference.value)
                dispatcher.value.taskEnded()
            }
        }
    }

    /// Sends a reply that others follow.
    ///
    /// - Parameter sent: resumed when the client can take the next, or with false when it has gone.
    private func send(
        _ reply: any Encodable & Sendable, to reference: Reference, _ sent: CheckedContinuation<Bool, Never>
    ) {
        guard let client = reference.client, isPresent(client), client.call != nil, !client.isCutShort else {
            return sent.resume(returning: false)
        }
        switch client.connection.reply(reply, continues: true) {
        case .whole: sent.resume(returning: true)
        case .partly: client.drained = sent
        case .nothing: sent.resume(returning: false)
        }
    }

    private func finish(_ outcome: Result<any Encodable & Sendable, ErrorReply>, of reference: Reference) {
        guard let client = reference.client, isPresent(client), client.call != nil else { return }
        client.call = nil
        awaitCall(of: client)
        switch outcome {
        case .success(let reply): client.connection.reply(reply)
        case .failure(let error): client.connection.fail(error)
        }
    }

    // MARK: The end

    /// Answers every call with ``CallAnswerer/cancelled``, and closes each connection once its client has read
    /// everything.
    ///
    /// - Returns: a signal with true when no client is left and no call is pending, or false when the time in seconds
    ///   is over.
    func finish(within patience: Double) -> LoopSignal<Bool> {
        isEnding = true
        let ended = loop.signal(of: Bool.self)
        self.ended = ended
        for client in registry.all {
            guard let call = client.call else { continue }
            call.cancel()
            client.call = nil
            client.connection.fail(answerer.cancelled)
        }
        _ = registry.closeAll(within: patience)
        signalIfEnded()
        loop.schedule(after: patience) { ended.send(false) }
        return ended
    }

    private func taskEnded() {
        openTasks -= 1
        signalIfEnded()
    }

    private func signalIfEnded() {
        if registry.isEmpty, openTasks == 0 { ended?.send(true) }
    }
}

extension CallDispatcher: ConnectionOwner {
    func connection(_ connection: Connection, received call: Call) {
        guard let client = registry.client(of: connection) else { return connection.close() }
        let payer = payer(of: call, from: client)
        switch registry.admit(call, of: client, as: payer) {
        case .refused: return
        case .tooManyCalls:
            awaitCall(of: client)
            logLimit("requests-per-second", users.callsPerSecond, payer.uid)
            return _ = connection.fail(answerer.busy(limit: users.callsPerSecond))
        case .admitted: awaitCall(of: client)
        }
        do throws(ErrorReply) {
            try dispatch(call, from: client, at: payer)
        } catch {
            connection.fail(error)
        }
    }

    func connection(_ connection: Connection, violated error: ErrorReply) {
        guard let client = registry.client(of: connection) else { return }
        logger.debug("connection closed because of an invalid request", metadata: ["uid": "\(client.uid)"])
        client.call?.cancel()
        client.call = nil
    }

    func connectionFellBehind(_ connection: Connection) {
        guard let client = registry.client(of: connection) else { return }
        client.stall?()
        client.stall = after(limits.stalledTimeout, for: client) { $0.connection.close() }
    }

    func connectionDrained(_ connection: Connection) {
        let client = registry.client(of: connection)
        client?.stall?()
        client?.resume(isConnected: true)
    }

    func connectionClosed(_ connection: Connection) {
        guard let client = registry.remove(connection) else { return }
        client.stopTimers()
        client.resume(isConnected: false)
        client.call?.cancel()
        client.call = nil
        if registry.isEmpty { isUsed(false) }
        signalIfEnded()
    }
}

/// A reference to a client that may be gone when a task returns to the event loop.
private struct Reference {
    weak var client: CallingClient?

    init(_ client: CallingClient) { self.client = client }
}
