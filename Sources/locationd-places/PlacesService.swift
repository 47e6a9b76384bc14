import LocationInterface
import LocationModel
import Logging
import NIOCore
import Places
import Varlink
import VarlinkServer

/// Serves the connections: each call is checked, asked of the providers in a task of its own, and answered.
///
/// Ownership: everything here belongs to one event loop; tasks come back to it with their answers. No coordinate and no
/// text that was asked for is ever logged.
final class PlacesService {
    let loop: any EventLoop
    let timers: Timers
    let logger: Logger
    private let limits: PlacesConfiguration.Limits
    private let providers: Providers
    private var clients: [ObjectIdentifier: Client] = [:]
    /// What each user may take up.
    let users: UserLimits
    private var slots: CallSlots
    private var openTasks = 0
    private var isEnding = false
    private var mayLogLimit = true
    /// Told whenever there is somebody, or nobody any more.
    var isUsed: (Bool) -> Void = { _ in }
    /// Told when nobody is left and nothing is being asked.
    private var allGone: EventLoopPromise<Void>?

    private static let description = ServiceDescription(
        vendor: "locationd", product: "locationd-places", version: Release.version, url: "",
        interfaces: [PlacesInterface.description])

    init(
        loop: any EventLoop, limits: PlacesConfiguration.Limits, providers: Providers, timers: Timers, logger: Logger
    ) {
        self.loop = loop
        self.limits = limits
        self.providers = providers
        self.timers = timers
        self.logger = logger
        users = UserLimits(
            UserLimits.Numbers(
                connections: limits.clients, connectionsPerUser: limits.clientsPerUser,
                callsPerSecond: limits.requestsPerSecond), loop: loop)
        slots = CallSlots(limit: limits.calls, limitPerUser: limits.callsPerUser)
    }

    private var bound: NIOLoopBound<PlacesService> { NIOLoopBound(self, eventLoop: loop) }

    var isIdle: Bool { clients.isEmpty }

    // MARK: Clients

    /// - Returns: itself, or `nil` if the connection is to be closed at once.
    func accept(_ connection: Connection, _ caller: UserLimits.Caller) -> (any ConnectionOwner)? {
        guard !isEnding else { return nil }
        let client: Client
        let isTooFast = !users.mayConnect(caller)
        switch users.enter(caller, isTooFast: isTooFast) {
        case .admitted: client = Client(connection: connection, caller: caller)
        case .refused(let limit, _):
            logLimit(isTooFast ? "requests-per-second" : "clients", limit, caller.uid)
            client = Client(connection: connection, caller: caller, refusal: .busy(limit: limit))
            users.leaveRefused(caller, connection)
        case .shut: return nil
        }
        if !caller.isSpared { connection.takeTurns(by: users.scheduler, as: caller.uid) }
        if clients.isEmpty { isUsed(true) }
        clients[ObjectIdentifier(connection)] = client
        awaitCall(of: client)
        return self
    }

    /// So many were closed unheard.
    func connectionsRefused(_ count: Int) {
        guard mayLogLimit else { return }
        logger.warning("a user connects too often", metadata: ["refused": "\(count)"])
        pauseLimitLog()
    }

    /// Who asks nothing for too long has to come again.
    private func awaitCall(of client: Client) {
        client.silence?()
        client.silence = after(limits.idleTimeout, for: client) { $0.connection.closeGracefully() }
    }

    private func after(
        _ seconds: Double, for client: Client, _ body: @escaping @Sendable (Client) -> Void
    ) -> Timers.Cancellation {
        let (loop, service, key) = (loop, bound, ObjectIdentifier(client.connection))
        return timers.after(seconds) { loop.execute { service.value.clients[key].map(body) } }
    }

    private func logLimit(_ what: String, _ limit: Int, _ uid: UInt32) {
        guard mayLogLimit else { return }
        logger.warning("a limit is reached", metadata: ["of": "\(what)", "limit": "\(limit)", "uid": "\(uid)"])
        pauseLimitLog()
    }

    private func pauseLimitLog() {
        mayLogLimit = false
        loop.assumeIsolated().scheduleTask(in: .minutes(1)) { [weak self] in self?.mayLogLimit = true }
    }

    // MARK: Calls

    private func dispatch(_ call: Call, from client: Client) throws(ErrorReply) {
        switch call.interface {
        case ServiceDescription.serviceInterface.name[...]:
            let answer = try Self.description.answer(call)
            client.connection.reply(answer)
        case PlacesInterface.name[...]:
            let question: Question
            switch call.method {
            case PlacesInterface.Method.reverseGeocode:
                question = try Question(call.parameters(as: ReverseGeocodeParameters.self))
            case PlacesInterface.Method.geocode: question = try Question(call.parameters(as: GeocodeParameters.self))
            default: throw .methodNotFound(call.method)
            }
            // Nobody would learn the answer.
            if call.oneway { return _ = client.connection.reply(NoParameters()) }
            if let limit = slots.enter(uid: client.uid) {
                logLimit("calls", limit, client.uid)
                throw .busy(limit: limit)
            }
            ask(question, for: client)
        default: throw .interfaceNotFound(call.interface)
        }
    }

    private func ask(_ question: Question, for client: Client) {
        let (loop, service, key, uid) = (loop, bound, ObjectIdentifier(client.connection), client.uid)
        let (providers, timers) = (providers, timers)
        client.silence?()
        openTasks += 1
        client.call = Task {
            var outcome: Race.Outcome
            do throws(PlacesError) {
                outcome = .success(try await providers.answer(question, for: uid, timers: timers))
            } catch {
                outcome = .failure(error)
            }
            loop.execute { [outcome] in
                service.value.slots.leave(uid: uid)
                service.value.answer(outcome, to: key)
                service.value.taskEnded()
            }
        }
    }

    private func answer(_ outcome: Race.Outcome, to key: ObjectIdentifier) {
        guard let client = clients[key], client.call != nil else { return }
        client.call = nil
        awaitCall(of: client)
        switch outcome {
        case .success(let placemarks): client.connection.reply(PlacemarksReply(placemarks: placemarks))
        case .failure(let error): client.connection.fail(ErrorReply(error))
        }
    }

    // MARK: The end

    /// Every call is answered `Cancelled`, every connection closed once that has been read.
    ///
    /// - Returns: when nobody is left and nothing is being asked, true; false if the time is over.
    func finish(within patience: TimeAmount) -> EventLoopFuture<Bool> {
        isEnding = true
        let gone = loop.makePromise(of: Void.self)
        allGone = gone
        for client in clients.values {
            if let call = client.call {
                call.cancel()
                client.call = nil
                client.connection.fail(.cancelled)
            }
            client.connection.closeGracefully(within: patience)
        }
        tellIfGone()
        let inTime = gone.futureResult.map { true }
        let ended = loop.makePromise(of: Bool.self)
        inTime.cascade(to: ended)
        loop.scheduleTask(in: patience) { ended.succeed(false) }
        return ended.futureResult
    }

    private func taskEnded() {
        openTasks -= 1
        tellIfGone()
    }

    private func tellIfGone() {
        if clients.isEmpty, openTasks == 0 { allGone?.succeed() }
    }
}

extension PlacesService: ConnectionOwner {
    func connection(_ connection: Connection, received call: Call) {
        guard let client = clients[ObjectIdentifier(connection)] else { return connection.close() }
        if let refusal = client.refusal {
            connection.fail(refusal)
            return connection.closeGracefully()
        }
        awaitCall(of: client)
        guard users.admit(call, of: client.caller, on: connection) else {
            logLimit("requests-per-second", users.callsPerSecond, client.uid)
            return _ = connection.fail(.busy(limit: users.callsPerSecond))
        }
        do throws(ErrorReply) {
            try dispatch(call, from: client)
        } catch {
            connection.fail(error)
        }
    }

    func connection(_ connection: Connection, violated error: ErrorReply) {
        guard let client = clients[ObjectIdentifier(connection)] else { return }
        logger.debug("connection ended over a bad request", metadata: ["uid": "\(client.uid)"])
        client.call?.cancel()
        client.call = nil
    }

    func connectionFellBehind(_ connection: Connection) {
        guard let client = clients[ObjectIdentifier(connection)] else { return }
        client.stall?()
        client.stall = after(limits.stalledTimeout, for: client) { $0.connection.close() }
    }

    func connectionDrained(_ connection: Connection) {
        clients[ObjectIdentifier(connection)]?.stall?()
    }

    func connectionClosed(_ connection: Connection) {
        guard let client = clients.removeValue(forKey: ObjectIdentifier(connection)) else { return }
        client.stopTimers()
        client.call?.cancel()
        client.call = nil
        if client.refusal == nil { users.leave(client.caller) }
        if clients.isEmpty { isUsed(false) }
        tellIfGone()
    }
}

extension ErrorReply {
    init(_ error: PlacesError) {
        self =
            switch error {
            case .noResult: .noResult
            case .partialResult(let placemarks): .partialResult(placemarks)
            case .network(let reason): .network(reason: reason)
            case .cancelled: .cancelled
            case .busy(let limit): .busy(limit: limit)
            }
    }
}
