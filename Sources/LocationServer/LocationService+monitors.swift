import Authorization
import LocationHub
import LocationInterface
import LocationModel
import Logging
import NIOCore
import RegionMonitoring
import Varlink
import VarlinkServer

/// Regions, significant changes and visits.
extension LocationService {
    func monitor(_ call: Call, from client: Client) throws(ErrorReply) {
        let parameters = try call.parameters(as: MonitorParameters.self)
        let order = try MonitorOrder(
            parameters, owner: client.principal.uid, isSpared: settings.policy.isSparedLimits(client.principal))
        guard call.more else { throw .expectedMore }
        limits.charge(Double(order.request?.regions.weight ?? 0) / 10, to: caller(client))
        client.request = "Monitor"
        client.purpose = parameters.purpose.map(Purpose.printable)
        let id: WatchID
        let actions: [HubAction]
        do throws(MonitorRefusal) {
            (id, actions) = try hub.addMonitor(order, permission: client.permission, at: now)
        } catch {
            throw reply(to: error, of: client, name: parameters.name ?? "")
        }
        seat(client, at: id)
        if !client.permission.mayReceive { noteRefusal(of: client) }
        perform(actions)
    }

    func changeRegions(_ call: Call, from client: Client) throws(ErrorReply) {
        let parameters = try call.parameters(as: ChangeRegionsParameters.self)
        try MonitorName.check(parameters.name)
        try checkIdentifiers(of: parameters.add ?? [], in: "add")
        let key = MonitorKey(owner: client.principal.uid, name: parameters.name)
        let actions: [HubAction]
        do throws(MonitorRefusal) {
            actions = try hub.changeRegions(
                key, add: parameters.add ?? [], remove: parameters.remove ?? [],
                isSpared: settings.policy.isSparedLimits(client.principal), permission: client.permission, at: now)
        } catch {
            throw reply(to: error, of: client, name: parameters.name)
        }
        perform(actions)
        answerOnceKept(client)
    }

    func removeMonitor(_ call: Call, from client: Client) throws(ErrorReply) {
        let name = try call.parameters(as: MonitorName.self).name
        let actions: [HubAction]
        do throws(MonitorRefusal) {
            actions = try hub.removeMonitor(MonitorKey(owner: client.principal.uid, name: name), at: now)
        } catch {
            throw reply(to: error, of: client, name: name)
        }
        perform(actions)
        answerOnceKept(client)
    }

    /// An answer of many regions is long work: it counts as one more call for each ten of them.
    func listMonitors(for client: Client) {
        let now = now
        let monitors = hub.monitorSummaries(of: client.principal.uid, for: client.permission)
        let weight = monitors.reduce(0) { $0 + $1.request.regions.weight }
        limits.charge(Double(weight) / 10, to: caller(client))
        if monitors.contains(where: { $0.reports.contains { $0.location != nil } }) { noteDelivery(to: client) }
        @Sendable func answer() -> ListMonitorsReply {
            ListMonitorsReply(
                monitors: monitors.map { monitor in
                    MonitorInformation(
                        name: monitor.name, active: monitor.isActive, regions: monitor.request.regions,
                        significantChange: monitor.request.significantChange, visits: monitor.request.visits,
                        reports: monitor.reports.map { RegionReportOnWire($0, at: now) })
                })
        }
        guard weight > Self.promptWeight else { return _ = client.connection.reply(answer()) }
        let permission = client.permission
        let message = future(on: hooks.tasks) { ByteBuffer(bytes: try MessageEncoder().reply(answer())) }
        message.assumeIsolated().whenComplete { [weak self] result in
            // What was listed for another permission is not for this one.
            guard client.permission == permission else { return self?.listMonitors(for: client) ?? () }
            switch result {
            case .success(let message): _ = client.connection.reply(encoded: message, isFinal: true)
            case .failure(let error): client.connection.fail(.failed("\(error)"))
            }
        }
    }

    /// So many regions are encoded within the time of some calls; more are encoded beside the event loop.
    private static let promptWeight = 20

    /// Somebody has removed the monitor.
    func endMonitor(_ id: WatchID, name: String) {
        guard let client = watcher(id) else { return }
        unseat(client, from: id)
        client.connection.fail(.noSuchMonitor(name))
    }

    private func reply(to refusal: MonitorRefusal, of client: Client, name: String) -> ErrorReply {
        switch refusal {
        case .noSuchMonitor: return .noSuchMonitor(name)
        case .inUse: return .monitorInUse(name)
        case .tooMany(let kind, let limit):
            logLimit(kind.rawValue, limit, of: client.principal)
            return .tooManyRegions(limit: limit)
        }
    }
}
