import LocationInterface
import LocationModel
import SystemSupport

/// Decides which watches are open at a daemon for all the managers of this process, and who is told what. Does
/// nothing itself: what comes is given to it together with the moment, and it answers with what is to be done.
///
/// At most three watches are open: of locations, of headings, and of the state alone while there is no other. Each
/// asks for what all its clients want together, and each client's own filter does the rest. When the daemon is gone
/// every closed watch waits for the same next try.
struct DaemonLink {
    enum WatchKind: CaseIterable, Sendable {
        case locations, headings, status
    }

    /// One that wishes; the earlier one has the lower number.
    struct ClientID: Hashable, Sendable {
        let number: Int
    }

    enum Action: Hashable, Sendable {
        case open(WatchKind, WatchRequest)
        case close(WatchKind)
        case tell(ClientID, ServiceEvent)
    }

    /// Seconds within which a daemon has to answer a watch.
    static let patience = 10.0
    /// Seconds for which the last location is told to those who come later.
    static let freshness = 3.0
    /// Seconds that a daemon which was there is given to come back.
    static let absence = 1.0

    let path: String
    var clients: [LinkedClient] = []
    /// Those that are open, or about to be.
    var watches: [WatchKind: LinkedWatch] = [:]
    /// What all clients together want, as of the last ``settle(at:)``.
    var wanted: [WatchKind: WatchRequest] = [:]
    var backoff = Backoff()
    /// When closed watches are opened again; `nil` for at once.
    var retry: BootInstant?
    /// No try before this, whoever comes.
    var earliestRetry: BootInstant?
    /// Counts the tries, so that a client with two watches hears of one failure.
    var round = 0
    var lastError = LocationError.disconnected

    init(path: String) {
        self.path = path
    }

    /// Takes a wish; ``settle(at:)`` is due then.
    mutating func wish(_ wish: Wish, of id: ClientID) {
        let index: Int
        if let known = clients.firstIndex(where: { $0.id == id }) {
            index = known
        } else {
            index = clients.count
            clients.append(LinkedClient(id: id))
        }
        clients[index].change(to: wish)
    }

    /// The client is no more.
    mutating func forget(_ id: ClientID) {
        clients.removeAll { $0.id == id }
    }

    /// When ``settle(at:)`` is due without a wish.
    var deadline: BootInstant? {
        let answers = watches.values.compactMap(\.answerDue)
        let waits = wanted.keys.contains { watches[$0] == nil }
        return (answers + (waits ? [retry].compactMap(\.self) : [])).min()
    }

    /// Does what wishes and time have made due.
    ///
    /// - Parameter jitter: 0..<1, drawn by the caller.
    mutating func settle(at now: BootInstant, jitter: Double) -> [Action] {
        var actions: [Action] = []
        for kind in WatchKind.allCases where watches[kind]?.answerDue.map({ $0 <= now }) ?? false {
            actions.append(.close(kind))
            actions += ended(
                kind, .silent(at: path), at: now, jitter: jitter)
        }
        wanted = parameters()
        var reopened: Set<WatchKind> = []
        for kind in WatchKind.allCases {
            guard let watch = watches[kind], watch.parameters != wanted[kind] else { continue }
            actions.append(.close(kind))
            watches[kind] = nil
            if wanted[kind] != nil { reopened.insert(kind) }
        }
        let newcomerWaits = clients.contains { client in
            client.isNew && kinds(of: client).contains { watches[$0] == nil && !reopened.contains($0) }
        }
        // Who comes new need not wait as long as those who have seen it fail.
        if newcomerWaits, let retry { self.retry = min(retry, earliestRetry ?? now) }
        if let retry, retry <= now { self.retry = nil }
        for kind in WatchKind.allCases where watches[kind] == nil && (retry == nil || reopened.contains(kind)) {
            guard let parameters = wanted[kind] else { continue }
            watches[kind] = LinkedWatch(parameters: parameters, answerDue: now.advanced(bySeconds: Self.patience))
            actions.append(.open(kind, parameters))
        }
        for index in clients.indices where clients[index].isNew || !clients[index].isConnected {
            actions += greet(index, at: now)
            clients[index].isNew = false
        }
        return actions
    }

    /// Tells a client what is known already.
    mutating func greet(_ index: Int, at now: BootInstant) -> [Action] {
        let client = clients[index]
        let needed = kinds(of: client)
        if needed.contains(where: { watches[$0] == nil }) {
            return client.isNew ? clients[index].lost(lastError, in: round) : []
        }
        // Who has heard of a failure is told of the return when all is back.
        if client.isLost, needed.contains(where: { watches[$0]?.isOpen != true }) { return [] }
        guard let watch = primary(of: client).flatMap({ watches[$0] }), watch.isOpen else { return [] }
        var actions = watch.status.map { clients[index].take($0) } ?? []
        if let location = watch.location, location.age(at: now) < Self.freshness {
            actions += clients[index].take(location)
        }
        return actions
    }
}
