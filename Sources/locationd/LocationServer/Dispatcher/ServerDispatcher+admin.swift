import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

extension ServerDispatcher {
    /// The methods of `org.locationd.admin`.
    func serveAdmin(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        switch call.method {
        case AdminInterface.Method.start: setEnabled(true, for: client)
        case AdminInterface.Method.stop: setEnabled(false, for: client)
        case AdminInterface.Method.setSource: try setSource(call, for: client)
        case AdminInterface.Method.suspend: suspend(for: client)
        case AdminInterface.Method.resume: resume(for: client)
        case AdminInterface.Method.listClients:
            let reports = connections.clients.values.sorted { $0.id < $1.id }.map(report)
            client.connection.reply(ClientList(clients: reports))
        case AdminInterface.Method.disconnect: try disconnect(call, for: client)
        case AdminInterface.Method.reload: reload(for: client)
        case AdminInterface.Method.setLogLevel:
            let level = try call.parameters(as: LogLevelParameters.self).level
            do { try environment.operations.setLogLevel(level, by: "\(client.administrator)") } catch {
                throw .invalidParameter("level", reason: "\(error)")
            }
            client.connection.reply(NoParameters())
        case AdminInterface.Method.getStatistics:
            client.connection.reply(StatisticsReply(statistics: statistics))
        case AdminInterface.Method.getMetrics: sendMetrics(to: client)
        case AdminInterface.Method.simulate: try simulate(call, for: client)
        case AdminInterface.Method.listAuthorizations: try listAuthorizations(for: client)
        case AdminInterface.Method.setAuthorization: try setAuthorization(call, for: client)
        case AdminInterface.Method.resetAuthorization: try resetAuthorization(call, for: client)
        case AdminInterface.Method.getHistory: try audit(call, for: client)
        case AdminInterface.Method.listMonitors: listAllMonitors(for: client)
        case AdminInterface.Method.forgetMonitors: try forgetMonitors(call, for: client)
        default: throw .methodNotFound(call.method)
        }
    }

    private func setEnabled(_ enabled: Bool, for client: ServerClient) {
        logger.log(enabled ? .switchedOn : .switchedOff, ["by": "\(client.administrator)"])
        perform(hub.setEnabled(enabled, at: now))
        let state = environment.state
        // Synchronously, to keep the order of the calls; tasks have no order.
        state.setEnabled(enabled)
        reply(to: client, NoParameters()) { try await state.persistSwitch() }
    }

    private func reload(for client: ServerClient) {
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
    private func sendMetrics(to client: ServerClient) {
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
        report.request = client.request
        report.purpose = client.purpose
        report.label = client.label
        report.library = client.library
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
