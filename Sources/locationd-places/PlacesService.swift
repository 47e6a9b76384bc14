import LocationInterface
import LocationModel
import Logging
import Places
import SystemClock
import SystemSupport
import Varlink
import VarlinkServer

/// Serves the connections: validates each call, asks the providers in a task of its own, and answers.
///
/// Ownership: everything here belongs to one event loop; tasks return their answers to it. Neither queried coordinates
/// nor queried texts are ever logged.
final class PlacesService {
    let loop: ServiceLoop
    let clock: ServiceClock
    let logger: Logger
    private let limits: PlacesConfiguration.Limits
    private let providers: Providers
    private let registry: ClientRegistry<PlacesClient>
    private var slots: CallSlots
    private var openTasks = 0
    private var isEnding = false
    private var mayLogLimit = true
    /// Called when the service becomes used, or is no longer used.
    var isUsed: (Bool) -> Void = { _ in }
    /// Sent when no client is left and no call is pending.
    private var ended: LoopSignal<Bool>?

    private static let description = ServiceDescription(
        vendor: "locationd", product: "locationd-places", version: Release.version, url: "",
        interfaces: [PlacesInterface.description])

    init(
        loop: ServiceLoop, limits: PlacesConfiguration.Limits, providers: Providers, clock: ServiceClock, logger: Logger
    ) {
        self.loop = loop
        self.limits = limits
        self.providers = providers
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
        let client: PlacesClient
        let isTooFast = !users.mayConnect(caller)
        switch users.enter(caller, isTooFast: isTooFast) {
        case .admitted: client = PlacesClient(connection: connection, caller: caller)
        case .refused(let limit, _):
            logLimit(isTooFast ? "requests-per-second" : "clients", limit, caller.uid)
            client = PlacesClient(connection: connection, caller: caller, refusal: .busy(limit: limit))
        case .shut: return nil
        }
        if registry.isEmpty { isUsed(true) }
        registry.add(client)
        awaitCall(of: client)
        return self
    }

    private func isPresent(_ client: PlacesClient) -> Bool { registry.client(of: client.connection) === client }

    /// Counts connections that were closed unserved.
    func connectionsRefused(_ count: Int) {
        guard mayLogLimit else { return }
        logger.warning("a user connects too often", metadata: ["refused": "\(count)"])
        pauseLimitLog()
    }

    /// Disconnects a client that makes no call for too long.
    private func awaitCall(of client: PlacesClient) {
        client.silence?()
        client.silence = after(limits.idleTimeout, for: client) { $0.connection.closeGracefully() }
    }

    private func after(
        _ seconds: Double, for client: PlacesClient, _ body: @escaping @Sendable (PlacesClient) -> Void
    ) -> Pause.Cancellation {
        let (loop, service, client) = (loop, loop.bind(self), loop.bind(Reference(client)))
        return clock.after(seconds) {
            loop.execute { if let client = client.value.client, service.value.isPresent(client) { body(client) } }
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

    private func dispatch(_ call: Call, from client: PlacesClient) throws(ErrorReply) {
        switch call.interface {
        case ServiceDescription.serviceInterface.name[...]:
            let answer = try Self.description.answer(call)
            client.connection.reply(answer)
        case PlacesInterface.name[...]:
            let question: PlacesRequest
            switch call.method {
            case PlacesInterface.Method.reverseGeocode:
                question = try PlacesRequest(call.parameters(as: ReverseGeocodeParameters.self))
            case PlacesInterface.Method.geocode:
                question = try PlacesRequest(call.parameters(as: GeocodeParameters.self))
            default: throw .methodNotFound(call.method)
            }
            // The client would not receive the answer.
            if call.oneway { return _ = client.connection.reply(NoParameters()) }
            if let limit = slots.enter(uid: client.uid) {
                logLimit("calls", limit, client.uid)
                throw .busy(limit: limit)
            }
            forward(question, for: client)
        default: throw .interfaceNotFound(call.interface)
        }
    }

    private func forward(_ question: PlacesRequest, for client: PlacesClient) {
        let (loop, service, uid) = (loop, loop.bind(self), client.uid)
        let reference = loop.bind(Reference(client))
        let (providers, clock) = (providers, clock)
        client.silence?()
        openTasks += 1
        client.call = Task {
            var outcome: Race.Outcome
            do throws(PlacesError) {
                outcome = .success(try await providers.answer(question, for: uid, clock: clock))
            } catch {
                outcome = .failure(error)
            }
            loop.execute { [outcome] in
                service.value.slots.leave(uid: uid)
                service.value.answer(outcome, to: reference.value)
                service.value.taskEnded()
            }
        }
    }

    private func answer(_ outcome: Race.Outcome, to reference: Reference) {
        guard let client = reference.client, isPresent(client), client.call != nil else { return }
        client.call = nil
        awaitCall(of: client)
        switch outcome {
        case .success(let placemarks): client.connection.reply(PlacemarksReply(placemarks: placemarks))
        case .failure(let error): client.connection.fail(ErrorReply(error))
        }
    }

    // MARK: The end

    /// Answers every call with `Cancelled`, and closes each connection once its client has read everything.
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
            client.connection.fail(.cancelled)
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

extension PlacesService: ConnectionOwner {
    func connection(_ connection: Connection, received call: Call) {
        guard let client = registry.client(of: connection) else { return connection.close() }
        switch registry.admit(call, of: client) {
        case .refused: return
        case .tooManyCalls:
            awaitCall(of: client)
            logLimit("requests-per-second", users.callsPerSecond, client.uid)
            return _ = connection.fail(.busy(limit: users.callsPerSecond))
        case .admitted: awaitCall(of: client)
        }
        do throws(ErrorReply) {
            try dispatch(call, from: client)
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
        registry.client(of: connection)?.stall?()
    }

    func connectionClosed(_ connection: Connection) {
        guard let client = registry.remove(connection) else { return }
        client.stopTimers()
        client.call?.cancel()
        client.call = nil
        if registry.isEmpty { isUsed(false) }
        signalIfEnded()
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

/// A reference to a client that may be gone when a task returns to the event loop.
private struct Reference {
    weak var client: PlacesClient?

    init(_ client: PlacesClient) { self.client = client }
}
