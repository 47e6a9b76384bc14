import Authorization
import LocationHub
import LocationInterface
import LocationModel
import Logging
import RegionMonitoring
import Varlink
import VarlinkServer

/// Everybody's kept monitors, for the administrator.
extension ServerDispatcher {
    func listAllMonitors(for client: ServerClient) {
        let holdings = hub.monitorHoldings
        reply(to: client) { AllMonitorsReply(monitors: holdings.map { KeptMonitorReport($0) }) }
    }

    /// Who has one is told as if its owner had removed it.
    func forgetMonitors(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: ForgetMonitorsParameters.self)
        try withSubject(parameters.principal, for: client) { service, subject throws(ErrorReply) in
            guard case .uid(let uid) = subject else {
                throw .invalidParameter("principal", reason: "monitors are a user's: it is uid:NUMBER or user:NAME")
            }
            let keys = service.hub.monitorHoldings.map(\.key)
                .filter { $0.owner == uid && parameters.name ?? $0.name == $0.name }
            var forgotten = 0
            for key in keys {
                guard let actions = try? service.hub.removeMonitor(key, at: service.now) else { continue }
                forgotten += 1
                service.perform(actions)
            }
            guard forgotten > 0 else {
                throw ErrorReply(
                    AdminInterface.Failure.noSuchMonitor,
                    parameters: ForgetMonitorsParameters(principal: "\(subject)", name: parameters.name))
            }
            service.logger.log(
                .monitorsForgotten,
                ["principal": "\(subject)", "monitors": "\(forgotten)", "by": "\(client.principal)"])
            service.monitorPersistence.reply(
                to: client, within: service.settings.hub.keepingPatience,
                MonitorsForgotten(principal: "\(subject)", forgotten: forgotten))
        }
    }
}

extension KeptMonitorReport {
    init(_ holding: MonitorHolding) {
        let subjects = holding.subjects
        self.init(
            principal: "uid:\(holding.key.owner)", name: holding.key.name, active: holding.isActive,
            authorized: holding.isAuthorized, regions: subjects.regions.count,
            weight: subjects.regions.weight,
            significantChange: subjects.significantChange != nil, visits: subjects.visits)
    }
}
