import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

extension ServerDispatcher {
    /// The methods of `org.locationd.admin` but for those about tokens; their rights are in ``AdminInterface/methods``.
    static let administrationHandlers: [String: Handler] = {
        typealias Method = AdminInterface.Method
        return [
            Method.start: start, Method.stop: stop, Method.setSource: setSource, Method.suspend: suspend,
            Method.resume: resume, Method.listClients: listClients, Method.disconnect: disconnect,
            Method.reload: reload, Method.setLogLevel: setLogLevel, Method.getStatistics: replyStatistics,
            Method.getMetrics: sendMetrics, Method.simulate: simulate, Method.listAuthorizations: listAuthorizations,
            Method.setAuthorization: setAuthorization, Method.resetAuthorization: resetAuthorization,
            Method.getHistory: audit, Method.listMonitors: listAllMonitors, Method.forgetMonitors: forgetMonitors,
        ]
    }()

    func serveAdmin(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        guard let handler = Self.administrationHandlers[call.method] else { throw .methodNotFound(call.method) }
        try handler(self)(call, client)
    }

    private func start(_: Call, for client: ServerClient) { setEnabled(true, for: client) }

    private func stop(_: Call, for client: ServerClient) { setEnabled(false, for: client) }

    private func listClients(_: Call, for client: ServerClient) {
        let reports = connections.clients.values.sorted { $0.id < $1.id }.map(report)
        client.connection.reply(ClientList(clients: reports))
    }

    private func setLogLevel(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let level = try call.parameters(as: LogLevelParameters.self).level
        do { try environment.operations.setLogLevel(level, by: "\(client.administrator)") } catch {
            throw .invalidParameter("level", reason: "\(error)")
        }
        client.connection.reply(NoParameters())
    }

    private func replyStatistics(_: Call, to client: ServerClient) {
        client.connection.reply(StatisticsReply(statistics: statistics))
    }

    private func setEnabled(_ enabled: Bool, for client: ServerClient) {
        logger.log(enabled ? .switchedOn : .switchedOff, ["by": "\(client.administrator)"])
        perform(hub.setEnabled(enabled, at: now))
        let state = environment.state
        // Synchronously, to keep the order of the calls; tasks have no order.
        state.setEnabled(enabled)
        reply(to: client, NoParameters()) { try await state.persistSwitch() }
    }

    private func reload(_: Call, for client: ServerClient) {
        let (operations, logger) = (environment.operations, logger)
        runBlockingTask {
            try await operations.reload()
        } completion: { result in
            switch result {
            case .success(let report): client.connection.reply(report)
            case .failure(let error):
                logger.log(.configurationRefused, ["reason": "\(error)"])
                client.connection.fail(
                    ErrorReply(
                        AdminInterface.Failure.invalidConfiguration, parameters: Explanation(reason: "\(error)")))
            }
        }
    }

    /// Runs work that may block on a disk, off the event loop.
    func runBlockingTask<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        completion: @escaping (Result<Value, any Error>) -> Void
    ) {
        tasks.run(on: environment.operations.waitingTasks, body, completion: completion)
    }

    /// Looks up a name for an administrator, which may block on a directory service, off the event loop.
    func runNameLookUp<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        completion: @escaping (Result<Value, any Error>) -> Void
    ) {
        tasks.run(on: environment.operations.nameLookUpTasks, body, completion: completion)
    }

    /// Answers when the work, which may block on a disk, is done.
    func reply(
        to client: ServerClient, _ answer: some Encodable, after work: @escaping @Sendable () async throws -> Void
    ) {
        runBlockingTask(work) { result in
            switch result {
            case .success: client.connection.reply(answer)
            case .failure(let error): client.connection.fail(.failed("\(error)"))
            }
        }
    }

    /// The text is made off the event loop, which only copies its counters.
    private func sendMetrics(_: Call, to client: ServerClient) {
        let (operations, figures) = (environment.operations, figures)
        tasks.run(on: operations.tasks) {
            await operations.metrics(figures)
        } completion: { result in
            if case .success(let text) = result { client.connection.reply(MetricsReply(text: text)) }
        }
    }

    func audit(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: AuditParameters.self)
        guard (1...10_000).contains(parameters.limit ?? 1) else {
            throw .invalidParameter("limit", reason: "1 to 10000")
        }
        let state = environment.state
        reply(to: client) { AuditReply(records: try await state.audit(parameters)) }
    }

    /// Answers with a value that is slow to encode, such as thousands of records; it is encoded off the event loop.
    func reply<Answer: Encodable & Sendable>(
        to client: ServerClient, with answer: @escaping @Sendable () async throws -> Answer
    ) {
        runBlockingTask {
            EncodedMessage(try MessageEncoder().reply(try await answer(), continues: false))
        } completion: { [weak self] result in
            do throws(ErrorReply) {
                try self?.checkToken(of: client)
                switch result {
                case .success(let message): _ = client.connection.reply(encoded: message, isFinal: true)
                case .failure(let error): throw .failed("\(error)")
                }
            } catch {
                client.connection.fail(error)
            }
        }
    }

    private func disconnect(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let id = try call.parameters(as: ClientID.self).id
        guard let target = connections.clients[id] else {
            throw ErrorReply(AdminInterface.Failure.noSuchClient, parameters: ClientID(id: id))
        }
        client.connection.reply(NoParameters())
        disconnect(target, reason: "\(client.administrator) requested it")
    }

    private func simulate(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: SimulateParameters.self)
        guard hub.isEnabled else { throw ErrorReply(AdminInterface.Failure.disabled) }
        var location = parameters.location
        if let wrong = location.firstImpossibleField {
            throw .invalidParameter("location.\(wrong)", reason: "the number cannot be")
        }
        guard location.mode != .unknown, location.augmentation != .unknown else {
            let field = location.mode == .unknown ? "mode" : "augmentation"
            throw .invalidParameter("location.\(field)", reason: "there is none of that name")
        }
        location.monotonicTime = now
        location.implausibility = nil
        location.source = SourceInformation(
            name: "simulate", method: parameters.isReplayed ?? false ? .replayed : .simulated, isSimulated: true)
        logger.log(.locationInjected, ["by": "\(client.administrator)"])
        perform(hub.applyEvent(.fix(location), from: Hub.injectedRank, at: now))
        client.connection.reply(SimulateReply(sequence: hub.lastSequence))
    }

    private func report(_ client: ServerClient) -> ClientReport {
        var report = ClientReport(
            id: client.id, principal: client.principal.description, pid: Int(client.principal.pid),
            since: client.since, socket: client.socket)
        report.request = client.call.request
        report.purpose = client.call.purpose
        report.label = client.label
        report.library = client.call.library
        report.behind = client.connection.isBehind
        if case .watching(let id) = client.activity, let progress = hub.progress(of: id) {
            report.dropped = progress.dropped
            delivery.countSent(to: client, at: id)
        }
        report.sent = client.sent
        report.receiverTime = hub.receiverTime(of: client.id, at: now)
        return report
    }
}
