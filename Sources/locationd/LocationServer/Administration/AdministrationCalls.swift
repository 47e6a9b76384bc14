import Authorization
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

/// What administrators see of the service and its clients, and the service's own configuration and log.
final class AdministrationCalls: ServiceCalls {
    let parts: SharedParts
    let locations: any LocationReports

    init(_ parts: SharedParts, locations: any LocationReports) {
        self.parts = parts
        self.locations = locations
    }

    func listClients(_: Call, for client: ServerClient) {
        let reports = connections.clients.values.sorted { $0.id < $1.id }.map(report)
        client.connection.reply(ClientList(clients: reports))
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
        locations.addProgress(of: client, to: &report)
        return report
    }

    func disconnect(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let id = try call.parameters(as: ClientID.self).id
        guard let target = connections.clients[id] else {
            throw ErrorReply(AdminInterface.Failure.noSuchClient, parameters: ClientID(id: id))
        }
        client.connection.reply(NoParameters())
        connections.disconnect(target, reason: "\(client.administrator) requested it")
    }

    func reload(_: Call, for client: ServerClient) {
        let (operations, logger) = (environment.operations, logger)
        context.tasks.run(on: operations.waitingTasks) {
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

    func setLogLevel(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let level = try call.parameters(as: LogLevelParameters.self).level
        do { try environment.operations.setLogLevel(level, by: "\(client.administrator)") } catch {
            throw .invalidParameter("level", reason: "\(error)")
        }
        client.connection.reply(NoParameters())
    }

    func replyStatistics(_: Call, to client: ServerClient) {
        client.connection.reply(StatisticsReply(statistics: statistics))
    }

    /// The text is made off the event loop, which only copies its counters.
    func sendMetrics(_: Call, to client: ServerClient) {
        let (operations, figures) = (environment.operations, figures)
        context.tasks.run(on: operations.tasks) {
            await operations.metrics(figures)
        } completion: { result in
            if case .success(let text) = result { client.connection.reply(MetricsReply(text: text)) }
        }
    }

    func getHistory(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: AuditParameters.self)
        guard (1...10_000).contains(parameters.limit ?? 1) else {
            throw .invalidParameter("limit", reason: "1 to 10000")
        }
        let state = environment.state
        gate.reply(to: client) { AuditReply(records: try await state.audit(parameters)) }
    }
}

/// What the service counts.
extension AdministrationCalls {
    var statistics: Statistics {
        var statistics = Statistics()
        statistics.version = settings.version
        statistics.pid = Int(getpid())
        statistics.uptime = now.seconds(since: context.started)
        statistics.clients = connections.clients.count
        statistics.refusedConnections = connections.refusedCount
        statistics.residentBytes = residentBytes
        locations.addStatistics(to: &statistics)
        return statistics
    }

    var figures: ServiceFigures {
        var figures = ServiceFigures(statistics: statistics)
        figures.authorizationRefusals = audit.refusals
        figures.badRequests = connections.badRequests
        figures.internalErrors = context.errors.count + connections.limits.admission.internalErrors
        locations.addFigures(to: &figures)
        return figures
    }

    /// The second number of /proc/self/statm: resident pages.
    private var residentBytes: Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var total = 0
        var resident = 0
        let count = withUnsafeMutablePointer(to: &total) { total in
            withUnsafeMutablePointer(to: &resident) { resident in
                withVaList([total, resident]) { vfscanf(file, "%ld %ld", $0) }
            }
        }
        return count == 2 ? resident * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
    }
}
