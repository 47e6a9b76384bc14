import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// What a feed requires of its owner.
protocol ChangeFeedOwner: AnyObject {
    associatedtype Reply: Encodable & Equatable
    /// Clients that watch, each with what it may see at present.
    func feedReplies(to clients: [ServerClient]) -> [(client: ServerClient, reply: Reply)]
}

/// Sends clients the present state of something: at once when they ask, and after changes, at most once a second. A
/// client that is behind is sent the newest state when it has read everything.
///
/// Ownership: everything here belongs to the event loop. Without such a client it does nothing.
final class ChangeFeed<Owner: ChangeFeedOwner> {
    private let context: ServerContext
    private weak var owner: Owner?
    private var isScheduled = false
    private var last: BootInstant?
    /// The clients, and what each was sent last, by the client's number.
    private var sent: [Int: (client: ServerClient, reply: Owner.Reply)] = [:]

    /// The least seconds between two looks: programs may change what is sent as often as they call.
    private var interval: Double { 1 }

    init(_ context: ServerContext, owner: Owner) {
        self.context = context
        self.owner = owner
    }

    private var replies: [(client: ServerClient, reply: Owner.Reply)] {
        owner?.feedReplies(to: sent.values.map(\.client)) ?? []
    }

    /// The number of a user's clients.
    func count(of uid: UInt32) -> Int { sent.values.count { $0.client.principal.uid == uid } }

    /// Sends the first reply of a client.
    /// - Throws: if its user has as many already as may wait for something at a time.
    func begin(_ client: ServerClient, as activity: ServerClient.Activity) throws(ErrorReply) {
        let limit = context.settings.limits.authorizationsPerUser
        guard client.caller.isExempt || count(of: client.principal.uid) < limit else {
            throw .tooManyAuthorizations(limit: limit)
        }
        client.activity = activity
        for (client, reply) in owner?.feedReplies(to: [client]) ?? [] { send(reply, to: client) }
    }

    private func send(_ reply: Owner.Reply, to client: ServerClient) {
        sent[client.id] = (client, reply)
        client.connection.reply(reply, continues: true)
    }

    /// The client has gone.
    func forget(_ client: ServerClient) { sent[client.id] = nil }

    /// Something has changed that clients may have to be told.
    func schedule() {
        guard !sent.isEmpty, !isScheduled, !context.isFinishing else { return }
        isScheduled = true
        let pause = last.map { interval - context.now.seconds(since: $0) } ?? 0
        context.loop.schedule(after: max(0.001, pause)) { [weak self] in self?.sendChanges() }
    }

    /// Sends now what has changed: also called where what comes next would hide the change.
    func sendChanges() {
        isScheduled = false
        guard !context.isFinishing else { return }
        last = context.now
        for (client, reply) in replies where !client.connection.isBehind && reply != sent[client.id]?.reply {
            send(reply, to: client)
        }
    }

    /// Sends the last replies.
    func finish() {
        for (client, reply) in replies {
            client.activity = .idle
            client.connection.reply(reply)
        }
    }
}
