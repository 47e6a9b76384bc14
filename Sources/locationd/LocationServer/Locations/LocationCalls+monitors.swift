import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

/// Regions, significant changes and visits.
extension LocationCalls {
    func monitor(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let request = try call.request(as: MonitorRequest.self)
        guard call.more else { throw .expectedMore }
        connections.limits.charge(Double(request.subjects?.regions.weight ?? 0) / 10, to: client.caller)
        client.call.request = "Monitor"
        client.call.purpose = request.purpose?.sanitizedAsClaim() ?? client.label
        client.call.library = request.library?.sanitizedAsClaim()
        let owner = MonitorOwner(uid: client.principal.uid, isExempt: client.caller.isExempt)
        let actions = try actions(of: client, on: request.name ?? "") { () throws(MonitorRefusal) in
            try hub.addMonitor(request, of: owner, permission: client.permission, account: client.id, at: now) {
                delivery.bind(client, to: $0)
            }
        }
        if !client.permission.mayReceive { audit.recordRefusal(of: client) }
        perform(actions)
    }

    func changeRegions(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let parameters = try call.request(as: ChangeRegionsParameters.self)
        let key = MonitorKey(owner: client.principal.uid, name: parameters.name)
        try changeMonitor(parameters.name, of: client) { () throws(MonitorRefusal) in
            try hub.changeRegions(
                key, add: parameters.add ?? [], remove: parameters.remove ?? [],
                isExempt: client.caller.isExempt, permission: client.permission, at: now)
        }
    }

    func removeMonitor(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let name = try call.parameters(as: MonitorName.self).name
        try changeMonitor(name, of: client) { () throws(MonitorRefusal) in
            try hub.removeMonitor(MonitorKey(owner: client.principal.uid, name: name), at: now)
        }
    }

    /// Changes a named monitor; the call is answered when the change is on the disk.
    private func changeMonitor(
        _ name: String, of client: ServerClient, _ change: () throws(MonitorRefusal) -> [HubAction]
    ) throws(ErrorReply) {
        perform(try actions(of: client, on: name, change))
        monitorPersistence.reply(to: client, within: settings.hub.persistenceTimeout)
    }

    private func actions(
        of client: ServerClient, on name: String, _ change: () throws(MonitorRefusal) -> [HubAction]
    ) throws(ErrorReply) -> [HubAction] {
        do throws(MonitorRefusal) { return try change() } catch {
            switch error {
            case .noSuchMonitor: throw .noSuchMonitor(name)
            case .inUse: throw .monitorInUse(name)
            case .tooMany(let kind, let limit):
                logger.logLimit(kind.rawValue, limit, of: client.principal)
                throw .tooManyRegions(limit: limit)
            }
        }
    }

    /// Answers with the user's monitors. A long answer costs more: ten regions count as one more call.
    func listMonitors(_ call: Call, for client: ServerClient) {
        let now = now
        let monitors = hub.namedMonitors(of: client.principal.uid, for: client.permission)
        let weight = monitors.reduce(0) { $0 + $1.subjects.regions.weight }
        connections.limits.charge(Double(weight) / 10, to: client.caller)
        if monitors.contains(where: { $0.reports.contains { $0.location != nil } }) {
            audit.recordDelivery(to: client)
        }
        @Sendable func answer() -> ListMonitorsReply {
            ListMonitorsReply(monitors: monitors.map { NamedMonitorOnWire($0, at: now) })
        }
        guard weight > Self.promptWeight else { return _ = client.connection.reply(answer()) }
        let permission = client.permission
        context.tasks.run(on: environment.operations.tasks) {
            EncodedMessage(try MessageEncoder().reply(answer()))
        } completion: { [weak self] result in
            // A list made under another permission must not be sent, nor one under a term that has ended.
            self?.decisions?.endDueDecisions()
            guard client.permission == permission else { return self?.listMonitors(call, for: client) ?? () }
            switch result {
            case .success(let message): _ = client.connection.reply(encoded: message, isFinal: true)
            case .failure(let error): client.connection.fail(.failed("\(error)"))
            }
        }
    }

    /// Up to this weight an answer is encoded on the event loop, which takes as long as a few calls; larger answers are
    /// encoded off it.
    private static let promptWeight = 20

    /// Ends the watch of a monitor that was removed.
    func endMonitor(_ id: WatchID, name: String) {
        guard let client = delivery.watcher(id) else { return }
        delivery.unbind(client, from: id)
        client.connection.fail(.noSuchMonitor(name))
    }
}

/// The named monitors of all users, for the administrator.
extension LocationCalls {
    func listAllMonitors(_: Call, for client: ServerClient) {
        let summaries = hub.namedMonitorSummaries
        gate.reply(to: client) { AllMonitorsReply(monitors: summaries.map { NamedMonitorReport($0) }) }
    }

    /// Clients connected to a removed monitor get the same reply as if its owner had removed it.
    func forgetMonitors(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: ForgetMonitorsParameters.self)
        try gate.withSubject(parameters.principal, of: call, from: client) { subject throws(ErrorReply) in
            guard case .uid(let uid) = subject else {
                throw .invalidParameter("principal", reason: "monitors are a user's: it is uid:NUMBER or user:NAME")
            }
            let keys = self.hub.namedMonitorSummaries.map(\.key)
                .filter { $0.owner == uid && parameters.name ?? $0.name == $0.name }
            var forgotten = 0
            for key in keys {
                guard let actions = try? self.hub.removeMonitor(key, at: self.now) else { continue }
                forgotten += 1
                self.perform(actions)
            }
            guard forgotten > 0 else {
                throw ErrorReply(
                    AdminInterface.Failure.noSuchMonitor,
                    parameters: ForgetMonitorsParameters(principal: "\(subject)", name: parameters.name))
            }
            self.logger.log(
                .monitorsForgotten,
                ["principal": "\(subject)", "monitors": "\(forgotten)", "by": "\(client.administrator)"])
            self.monitorPersistence.reply(
                to: client, within: self.settings.hub.persistenceTimeout,
                MonitorsForgotten(principal: "\(subject)", forgotten: forgotten))
        }
    }
}

extension NamedMonitorReport {
    init(_ summary: NamedMonitorSummary) {
        let subjects = summary.subjects
        self.init(
            principal: "uid:\(summary.key.owner)", name: summary.key.name, active: summary.isActive,
            authorized: summary.isAuthorized, regions: subjects.regions.count,
            weight: subjects.regions.weight,
            significantChange: subjects.significantChange != nil, visits: subjects.visits)
    }
}
