import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// What the usage needs of the owner of watches.
protocol UsageOwner: AnyObject {
    /// Adds to a client what was sent to it directly since the last call.
    func countSent(to client: ServerClient)
}

/// Which programs receive locations, or have received some in the last 24 hours: each user sees its own, and
/// administrators see all.
///
/// Ownership: everything here belongs to the event loop.
final class UsageCalls {
    private let context: ServerContext
    private let connections: Connections
    private var table: UsageTable
    private(set) lazy var feed = ChangeFeed(context, owner: self)
    /// Set by ``ServerDispatcher``, because watches are made after this.
    weak var owner: (any UsageOwner)?

    /// - Parameter audit: the records of the present day and of the day before.
    init(_ context: ServerContext, _ connections: Connections, resuming audit: [AuditRecord]) {
        self.context = context
        self.connections = connections
        table = UsageTable(at: context.now)
        table.resume(audit, at: context.now, utc: context.utc)
    }

    func watchUsage(_ call: Call, from client: ServerClient) throws(ErrorReply) {
        let all = try call.parameters(as: UsageParameters.self).all ?? false
        client.call.request = "WatchUsage"
        if all { try checkSeesAllUsage(client) }
        guard call.more else {
            client.connection.reply(UsageReply(usage: usage(of: all ? nil : client.principal.uid)))
            return
        }
        try feed.begin(client, as: .watchingUsage(all: all))
    }

    // MARK: The table

    /// What is counted until another hour begins belongs to the hour before.
    func advanceHour() {
        if table.advanceHour(to: context.now) { listUsage() }
    }

    /// Adds to the table what the clients were sent since the last call: nothing is added to it fix by fix.
    private func listUsage() {
        for client in connections.clients.values { listUsage(of: client) }
    }

    func listUsage(of client: ServerClient) {
        owner?.countSent(to: client)
        addUnlisted(of: client)
    }

    /// Adds to the table what the client is counted to have been sent since the last call, under its present name and
    /// permission.
    func addUnlisted(of client: ServerClient) {
        let count = client.unlisted
        guard count.locations > 0 else { return }
        client.unlisted = UsageTable.Count()
        table.add(count, to: client.usageProgram, isFull: client.permission.accuracy == .full)
    }
}

extension UsageCalls: ChangeFeedOwner {
    private func checkSeesAllUsage(_ client: ServerClient) throws(ErrorReply) {
        // A service has no rights of those whom it serves.
        guard client.socket == .control, client.servedProgram == nil,
            context.settings.policy.mayAdminister(client.principal)
        else {
            throw .notPermitted(
                "administrators alone see the programs of all users, on the control socket: `sudo locctl usage --all`")
        }
    }

    func feedReplies(to clients: [ServerClient]) -> [(client: ServerClient, reply: UsageReply)] {
        var known: [UInt32?: UsageReply] = [:]
        return clients.compactMap { client in
            guard case .watchingUsage(let all) = client.activity else { return nil }
            do throws(ErrorReply) {
                if all { try checkSeesAllUsage(client) }
            } catch {
                client.activity = .idle
                feed.forget(client)
                client.connection.fail(error)
                return nil
            }
            let user = all ? nil : client.principal.uid
            let reply = known[user] ?? UsageReply(usage: usage(of: user))
            known[user] = reply
            return (client, reply)
        }
    }

    /// The present usage by the programs of a user; `nil` for all users.
    private func usage(of user: UInt32?) -> [LocationUsage] {
        listUsage()
        let receivers = connections.clients.values.compactMap { client -> UsageTable.Receiver? in
            guard let since = client.receivesSince, client.permission.mayReceive else { return nil }
            return UsageTable.Receiver(
                program: client.usageProgram, pid: client.servedProgram == nil ? Int(client.principal.pid) : nil,
                since: since, isFull: client.permission.accuracy == .full)
        }
        return table.list(receivers, of: user, at: context.now, utc: context.utc)
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
