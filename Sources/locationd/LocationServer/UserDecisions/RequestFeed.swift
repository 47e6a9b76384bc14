import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport

/// What the feed requires of the dispatcher.
protocol RequestFeedOwner: AnyObject {
    /// The clients that watch their users' requests.
    var requestWatchers: [ServerClient] { get }
    /// The programs of users that wait at present.
    var waitingPrograms: (UInt32) -> [WaitingProgram] { get }
    /// What a client may see of its user's requests.
    func pendingRequests(of client: ServerClient, programs: (UInt32) -> [WaitingProgram]) -> RequestsReply
}

/// Tells clients of their users' pending requests: at once when they ask, and after changes.
///
/// Ownership: everything here belongs to the event loop. Without such a client it does nothing.
final class RequestFeed {
    /// The least seconds between two looks: a program may change its request as often as it calls.
    private static let interval = 1.0

    private let loop: ServiceLoop
    private let clock: ServiceClock
    private weak var owner: (any RequestFeedOwner)?
    private var isScheduled = false
    private var isFinished = false
    private var last: BootInstant?
    /// What each client was sent last, by the client's number.
    private var sent: [Int: RequestsReply] = [:]
    /// The first location of a day of users that are watched.
    private var uses: [UInt32: FirstUse] = [:]

    init(_ context: ServerContext, owner: any RequestFeedOwner) {
        loop = context.loop
        clock = context.clock
        self.owner = owner
    }

    /// Sends the first reply of a client.
    func begin(_ client: ServerClient) {
        client.activity = .watchingRequests
        guard let owner else { return }
        let reply = reply(to: client, owner.waitingPrograms, owner)
        sent[client.id] = reply
        client.connection.reply(reply, continues: true)
    }

    /// The client has gone.
    func forget(_ client: ServerClient) {
        sent[client.id] = nil
        let uid = client.principal.uid
        if owner?.requestWatchers.contains(where: { $0.principal.uid == uid }) != true { uses[uid] = nil }
    }

    /// A principal receives its first location of a day.
    func noteUse(by client: ServerClient) {
        let uid = client.principal.uid
        guard !sent.isEmpty, client.principal.subject == .uid(uid),
            owner?.requestWatchers.contains(where: { $0.principal.uid == uid }) == true
        else { return }
        uses[uid] = FirstUse(time: clock.utc(), program: client.label ?? client.claimedName ?? client.call.purpose)
        schedule()
    }

    private func reply(
        to client: ServerClient, _ programs: (UInt32) -> [WaitingProgram], _ owner: any RequestFeedOwner
    ) -> RequestsReply {
        var reply = owner.pendingRequests(of: client, programs: programs)
        reply.firstUse = uses[client.principal.uid]
        return reply
    }

    /// Something has changed that clients may have to be told.
    func schedule() {
        guard !isScheduled, !isFinished, !sent.isEmpty else { return }
        isScheduled = true
        let pause = last.map { Self.interval - clock.now().seconds(since: $0) } ?? 0
        loop.schedule(after: max(0.001, pause)) { [weak self] in self?.sendChanges() }
    }

    /// Sends now what has changed: also called where what comes next would hide the change.
    func sendChanges() {
        isScheduled = false
        guard let owner, !isFinished else { return }
        last = clock.now()
        let programs = owner.waitingPrograms
        // A client that is behind is looked at when it has read everything.
        for client in owner.requestWatchers where !client.connection.isBehind {
            let reply = reply(to: client, programs, owner)
            guard reply != sent[client.id] else { continue }
            sent[client.id] = reply
            client.connection.reply(reply, continues: true)
        }
    }

    /// Sends the last replies.
    func finish() {
        isFinished = true
        guard let owner else { return }
        let programs = owner.waitingPrograms
        for client in owner.requestWatchers {
            client.activity = .idle
            client.connection.reply(reply(to: client, programs, owner))
        }
    }
}
