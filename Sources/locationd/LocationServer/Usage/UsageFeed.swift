import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// What the feed requires of the dispatcher.
protocol UsageFeedOwner: AnyObject {
    /// The clients that watch the usage of their user, or of all.
    var usageWatchers: [(client: ServerClient, all: Bool)] { get }
    /// The present usage by the programs of a user; `nil` for all users.
    func usage(of user: UInt32?) -> [LocationUsage]
    /// Throws if the client may not see the usage of all users any more.
    func checkSeesAllUsage(_ client: ServerClient) throws(ErrorReply)
}

/// Tells clients which programs receive locations: at once when they ask, and after changes, at most once a second. A
/// client that is behind is sent the newest usage when it has read everything.
///
/// Ownership: everything here belongs to the event loop. Without such a client it does nothing.
final class UsageFeed {
    /// The least seconds between two replies.
    private static let interval = 1.0

    private let loop: ServiceLoop
    private let clock: ServiceClock
    private weak var owner: (any UsageFeedOwner)?
    private var isScheduled = false
    private var isFinished = false
    private var last: BootInstant?
    /// What each client was sent last, by the client's number.
    private var sent: [Int: UsageReply] = [:]

    init(_ context: ServerContext, owner: any UsageFeedOwner) {
        loop = context.loop
        clock = context.clock
        self.owner = owner
    }

    /// Sends the first reply of a client.
    func begin(_ client: ServerClient, all: Bool) {
        client.activity = .watchingUsage(all: all)
        guard let owner else { return }
        let reply = UsageReply(usage: owner.usage(of: all ? nil : client.principal.uid))
        sent[client.id] = reply
        client.connection.reply(reply, continues: true)
    }

    /// The client has gone.
    func forget(_ client: ServerClient) { sent[client.id] = nil }

    /// Locations were sent, or clients have come or gone.
    func schedule() {
        guard !sent.isEmpty, !isScheduled, !isFinished else { return }
        isScheduled = true
        let pause = last.map { Self.interval - clock.now().seconds(since: $0) } ?? 0
        loop.schedule(after: max(0.001, pause)) { [weak self] in self?.sendChanges() }
    }

    private func sendChanges() {
        isScheduled = false
        guard !isFinished else { return }
        last = clock.now()
        forEachReply { client, reply in
            guard !client.connection.isBehind, reply != sent[client.id] else { return }
            sent[client.id] = reply
            client.connection.reply(reply, continues: true)
        }
    }

    /// Sends the last replies.
    func finish() {
        isFinished = true
        forEachReply { client, reply in
            client.activity = .idle
            client.connection.reply(reply)
        }
    }

    private func forEachReply(_ body: (ServerClient, UsageReply) -> Void) {
        guard let owner else { return }
        var known: [UInt32?: UsageReply] = [:]
        for (client, all) in owner.usageWatchers {
            do throws(ErrorReply) {
                if all { try owner.checkSeesAllUsage(client) }
            } catch {
                client.activity = .idle
                forget(client)
                client.connection.fail(error)
                continue
            }
            let user = all ? nil : client.principal.uid
            let reply = known[user] ?? UsageReply(usage: owner.usage(of: user))
            known[user] = reply
            body(client, reply)
        }
    }
}
