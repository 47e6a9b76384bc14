import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// Which programs receive locations, or have received some: each user sees its own, and administrators see all.
extension ServerDispatcher: UsageFeedOwner {
    func watchUsage(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let all = try call.parameters(as: UsageParameters.self).all ?? false
        client.call.request = "WatchUsage"
        if all { try checkSeesAllUsage(client) }
        guard call.more else {
            client.connection.reply(UsageReply(usage: usage(of: all ? nil : client.principal.uid)))
            return
        }
        let limit = settings.limits.authorizationsPerUser
        let others = usageWatchers.count { $0.client.principal.uid == client.principal.uid }
        guard client.caller.isExempt || others < limit else { throw .tooManyAuthorizations(limit: limit) }
        usageFeed.begin(client, all: all)
    }

    func checkSeesAllUsage(_ client: ServerClient) throws(ErrorReply) {
        // A service has no rights of those whom it serves.
        guard client.socket == .control, client.servedProgram == nil,
            settings.policy.mayAdminister(client.principal)
        else {
            throw .notPermitted(
                "administrators alone see the programs of all users, on the control socket: `sudo locctl usage --all`")
        }
    }

    var usageWatchers: [(client: ServerClient, all: Bool)] {
        connections.clients.values.compactMap { client -> (client: ServerClient, all: Bool)? in
            guard case .watchingUsage(let all) = client.activity else { return nil }
            return (client, all)
        }
    }

    func usage(of user: UInt32?) -> [LocationUsage] {
        listUsage()
        let receivers = connections.clients.values.compactMap { client -> UsageTable.Receiver? in
            guard let since = client.receivesSince, client.permission.mayReceive else { return nil }
            return UsageTable.Receiver(
                program: client.usageProgram, pid: client.servedProgram == nil ? Int(client.principal.pid) : nil,
                since: since, isFull: client.permission.accuracy == .full)
        }
        return audit.usageList(receivers, of: user)
    }

    /// Adds to the table of usage what the clients were sent since the last call: nothing is added to it fix by fix.
    func listUsage() {
        for client in connections.clients.values { listUsage(of: client) }
    }

    func listUsage(of client: ServerClient) {
        if case .watching(let id) = client.activity { delivery.countSent(to: client, at: id) }
        audit.listUsage(of: client)
    }
}

extension ServerClient {
    /// How the table of usage tells it apart: by what it claims, and by the bridge that serves it.
    var usageProgram: UsageTable.Program {
        let service = servedProgram != nil ? connectingPrincipal.unit : socket == .nmea ? "nmea" : nil
        return UsageTable.Program(
            user: principal.uid, name: label ?? claimedName ?? call.purpose ?? principal.unit, service: service)
    }
}
