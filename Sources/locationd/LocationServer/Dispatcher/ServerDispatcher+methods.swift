@_spi(Programs) import LocationInterface
import ServiceServer
import Varlink

/// Which service answers a method; the rights are in ``LocationInterface/methods`` and ``AdminInterface/methods``.
extension ServerDispatcher {
    /// What answers a method.
    typealias Handler = @Sendable (ServerDispatcher) -> (Call, ServerClient) throws(ErrorReply) -> Void

    static let locationHandlers: [String: Handler] = [
        LocationInterface.Method.getStatus: { $0.locations.replyStatus },
        LocationInterface.Method.listReceivers: { $0.locations.listReceivers },
        LocationInterface.Method.getLocation: { $0.locations.getLocation },
        LocationInterface.Method.watch: { $0.locations.watch },
        LocationInterface.Method.monitor: { $0.locations.monitor },
        LocationInterface.Method.changeRegions: { $0.locations.changeRegions },
        LocationInterface.Method.listMonitors: { $0.locations.listMonitors },
        LocationInterface.Method.removeMonitor: { $0.locations.removeMonitor },
        LocationInterface.Method.requestAuthorization: { $0.decisions.requestAuthorization },
        LocationInterface.Method.watchRequests: { $0.decisions.watchRequests },
        LocationInterface.Method.decide: { $0.decisions.decideOwn },
        LocationInterface.Method.watchUsage: { $0.usage.watchUsage },
    ]

    static let administrationHandlers: [String: Handler] = [
        AdminInterface.Method.start: { $0.locations.start },
        AdminInterface.Method.stop: { $0.locations.stop },
        AdminInterface.Method.setSource: { $0.locations.setSource },
        AdminInterface.Method.suspend: { $0.locations.suspend },
        AdminInterface.Method.resume: { $0.locations.resume },
        AdminInterface.Method.simulate: { $0.locations.simulate },
        AdminInterface.Method.listMonitors: { $0.locations.listAllMonitors },
        AdminInterface.Method.forgetMonitors: { $0.locations.forgetMonitors },
        AdminInterface.Method.listAuthorizations: { $0.decisions.listAuthorizations },
        AdminInterface.Method.setAuthorization: { $0.decisions.setAuthorization },
        AdminInterface.Method.resetAuthorization: { $0.decisions.resetAuthorization },
        AdminInterface.Method.listClients: { $0.administration.listClients },
        AdminInterface.Method.disconnect: { $0.administration.disconnect },
        AdminInterface.Method.reload: { $0.administration.reload },
        AdminInterface.Method.setLogLevel: { $0.administration.setLogLevel },
        AdminInterface.Method.getStatistics: { $0.administration.replyStatistics },
        AdminInterface.Method.getMetrics: { $0.administration.sendMetrics },
        AdminInterface.Method.getHistory: { $0.administration.getHistory },
        AdminInterface.Method.createToken: { $0.gate.createToken },
        AdminInterface.Method.revokeToken: { $0.gate.revokeToken },
    ]

    func dispatch(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        switch call.interface {
        case ServiceDescription.serviceInterface.name[...]:
            try connections.spend(call, of: client, for: nil)
            let description = client.socket == .control ? controlDescription : description
            client.connection.reply(try description.answer(call))
        case LocationInterface.name[...]:
            guard Self.locationHandlers[call.method] != nil else {
                try connections.spend(call, of: client, for: nil)
                throw .methodNotFound(call.method)
            }
            // Else it is served when the groups of the program's user are known.
            if try admitProgram(of: call, from: client) { try serveLocation(call, from: client) }
        case AdminInterface.name[...] where client.socket == .control || client.mayServeOthers:
            try gate.admitAdministrator(call, of: client)
            try serveAdmin(call, from: client)
        case AdminInterface.name[...] where gate.isGated(call):
            try gate.passAdministration(call, of: client) { () throws(ErrorReply) in
                self.decisions.endDueDecisions()
                try self.serveAdmin(call, from: client)
            }
        default:
            try connections.spend(call, of: client, for: nil)
            throw .interfaceNotFound(call.interface)
        }
    }

    func serveLocation(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        try Self.locationHandlers[call.method]?(self)(call, client)
    }

    private func serveAdmin(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        guard let handler = Self.administrationHandlers[call.method] else { throw .methodNotFound(call.method) }
        try handler(self)(call, client)
    }
}
