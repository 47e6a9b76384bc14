@_spi(Programs) import LocationModel
import ServiceServer

/// What a feed requires of its owner.
protocol ChangeFeedOwner: AnyObject {
    associatedtype Reply: Encodable & Equatable
    /// The clients that watch, each with what it may see at present.
    func feedReplies() -> [(client: ServerClient, reply: Reply)]
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
    /// What each client was sent last, by the client's number.
    private var sent: [Int: Owner.Reply] = [:]

    /// The least seconds between two looks: programs may change what is sent as often as they call.
    private var interval: Double { 1 }

    init(_ context: ServerContext, owner: Owner) {
        self.context = context
        self.owner = owner
    }

    var isEmpty: Bool { sent.isEmpty }

    /// Sends a reply that others follow.
    func send(_ reply: Owner.Reply, to client: ServerClient) {
        sent[client.id] = reply
        client.connection.reply(reply, continues: true)
    }

    /// The client has gone.
    func forget(_ client: ServerClient) { sent[client.id] = nil }

    /// Something has changed that clients may have to be told.
    func schedule() {
        guard !isEmpty, !isScheduled, !context.isFinishing else { return }
        isScheduled = true
        let pause = last.map { interval - context.now.seconds(since: $0) } ?? 0
        context.loop.schedule(after: max(0.001, pause)) { [weak self] in self?.sendChanges() }
    }

    /// Sends now what has changed: also called where what comes next would hide the change.
    func sendChanges() {
        isScheduled = false
        guard let owner, !context.isFinishing else { return }
        last = context.now
        for (client, reply) in owner.feedReplies() where !client.connection.isBehind && reply != sent[client.id] {
            send(reply, to: client)
        }
    }

    /// Sends the last replies.
    func finish() {
        for (client, reply) in owner?.feedReplies() ?? [] {
            client.activity = .idle
            client.connection.reply(reply)
        }
    }
}
