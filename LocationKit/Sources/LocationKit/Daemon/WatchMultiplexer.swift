@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// Decides which watches are open at the daemon for all managers of this process, and which events each manager
/// receives. It does no I/O: each input carries the current time and returns the actions to perform.
///
/// Managers that want the same share one watch, so that a program with many managers has few connections; the daemon
/// filters for each watch. After a failure all closed watches are retried together.
struct WatchMultiplexer {
    /// Identifies a client; lower numbers are older.
    struct ClientID: Hashable, Sendable {
        let number: Int
    }

    enum Action: Hashable, Sendable {
        case open(WatchRequest)
        case close(WatchRequest)
        case deliver(ClientID, TransportEvent)
    }

    /// Seconds within which the daemon must reply to a watch.
    static let replyTimeout = 10.0
    /// Seconds for which the last location is delivered to clients that join later.
    static let freshness = 3.0
    /// Seconds that a daemon that was connected gets to restart.
    static let restartDelay = 1.0

    let path: String
    var clients: [MultiplexedClient] = []
    /// The watches that are open or being opened.
    var watches: [WatchRequest: MultiplexedWatch] = [:]
    /// Watches that replace an open one of their client, and so do not wait for the next attempt.
    var replacements: Set<WatchRequest> = []
    var backoff = Backoff()
    /// When closed watches are reopened; `nil` for immediately.
    var retry: BootInstant?
    /// The earliest moment of the next attempt, even if a new client joins.
    var earliestRetry: BootInstant?
    /// Counts the rounds of attempts, so that a client with two watches receives one failure for each round.
    var round = 0
    var lastError = LocationError.disconnected

    init(path: String) {
        self.path = path
    }

    /// Replaces a client's interest; ``nextActions(at:jitter:)`` has to be called afterwards.
    mutating func setInterest(_ interest: Interest, of id: ClientID) {
        let index: Int
        if let known = clients.firstIndex(where: { $0.id == id }) {
            index = known
        } else {
            index = clients.count
            clients.append(MultiplexedClient(id: id))
        }
        let (former, new) = (Set(clients[index].watches), Set(interest.watches))
        if former.subtracting(new).contains(where: { watches[$0]?.isOpen == true }) {
            replacements.formUnion(new.subtracting(former))
        }
        clients[index].change(to: interest)
    }

    /// The client no longer exists.
    mutating func removeClient(_ id: ClientID) {
        clients.removeAll { $0.id == id }
    }

    /// When ``nextActions(at:jitter:)`` has to be called if no interest changes before.
    var deadline: BootInstant? {
        let answers = watches.values.compactMap(\.replyDeadline)
        let waits = clients.contains { $0.watches.contains { watches[$0] == nil } }
        return (answers + (waits ? [retry].compactMap(\.self) : [])).min()
    }

    /// The actions that follow from the interests and the time.
    ///
    /// - Parameter jitter: 0..<1, a random number of the caller's.
    mutating func nextActions(at now: BootInstant, jitter: Double) -> [Action] {
        var actions: [Action] = []
        for (request, watch) in watches where watch.replyDeadline.map({ $0 <= now }) ?? false {
            actions.append(.close(request))
            actions += watchEnded(request, .silent(at: path), at: now, jitter: jitter)
        }
        let wanted = Set(clients.flatMap(\.watches))
        let joined = Set(clients.filter(\.needsInitialEvents).flatMap(\.watches))
        for (request, watch) in watches
        where !wanted.contains(request) || joined.contains(request) && watch.hasNothing(forNewAt: now) {
            actions.append(.close(request))
            watches[request] = nil
        }
        // A new client does not wait as long as those that have received failures already.
        if joined.contains(where: { watches[$0] == nil }), let retry { self.retry = min(retry, earliestRetry ?? now) }
        if let retry, retry <= now { self.retry = nil }
        for client in clients {
            for request in client.watches where watches[request] == nil {
                guard retry == nil || client.isConnected || replacements.contains(request) else { continue }
                watches[request] = MultiplexedWatch(replyDeadline: now.advanced(bySeconds: Self.replyTimeout))
                actions.append(.open(request))
            }
        }
        replacements = []
        for index in clients.indices where clients[index].needsInitialEvents || !clients[index].isConnected {
            actions += deliverKnownState(to: index, at: now)
            clients[index].needsInitialEvents = false
        }
        return actions
    }

    /// Delivers the known status and location to a client.
    mutating func deliverKnownState(to index: Int, at now: BootInstant) -> [Action] {
        let client = clients[index]
        let known = client.watches.compactMap { watches[$0] }
        guard known.count == client.watches.count else {
            return client.needsInitialEvents ? clients[index].receiveFailure(lastError, of: round) : []
        }
        // A client that received a failure gets `connected` only when all its watches are back.
        if client.hasFailed, !known.allSatisfy(\.isOpen) { return [] }
        guard let watch = known.first, watch.isOpen else { return [] }
        var actions = watch.status.map { clients[index].receiveStatus($0) } ?? []
        if let location = watch.freshLocation(at: now) { actions += clients[index].receiveLocation(location) }
        return actions
    }
}

/// Replies from the daemon.
extension WatchMultiplexer {
    /// A reply to a watch.
    ///
    /// - Parameters:
    ///   - continues: false for the last reply.
    ///   - jitter: 0..<1, a random number of the caller's.
    mutating func receive(
        _ reply: WatchReply, continues: Bool, on request: WatchRequest, at now: BootInstant, jitter: Double
    ) -> [Action] {
        guard let isAnswered = watches[request]?.isOpen else { return [] }
        if !isAnswered { backoff.succeed() }
        watches[request]?.apply(reply)
        var actions: [Action] = []
        for index in clients.indices {
            let (interest, wanted) = (clients[index].interest, clients[index].watches)
            guard wanted.contains(request) else { continue }
            if let status = reply.status, wanted.first == request {
                actions += clients[index].receiveStatus(status)
            }
            if !isAnswered, !clients[index].isConnected { actions += deliverKnownState(to: index, at: now) }
            if interest.locations == request {
                actions += clients[index].receiveLocation(reply.location?.value, dropped: reply.dropped)
            }
            if interest.headings == request, let heading = reply.heading?.value {
                actions += clients[index].receiveHeading(heading)
            }
        }
        if !continues { actions += [.close(request)] + watchEnded(request, .disconnected, at: now, jitter: jitter) }
        return actions
    }

    /// A watch has ended, or could not be opened.
    ///
    /// - Parameter jitter: 0..<1, a random number of the caller's.
    mutating func watchEnded(
        _ request: WatchRequest, _ error: LocationError, at now: BootInstant, jitter: Double
    ) -> [Action] {
        guard let watch = watches.removeValue(forKey: request) else { return [] }
        lastError = error
        let first = now.advanced(bySeconds: watch.isOpen ? Self.restartDelay + Backoff.first * jitter : Backoff.first)
        let earliest = max(earliestRetry ?? first, first)
        earliestRetry = earliest
        if retry.map({ $0 <= now }) ?? true {
            round += 1
            retry = now.advanced(bySeconds: backoff.fail(jitter: jitter))
        }
        retry = retry.map { max($0, earliest) }
        return clients.indices.flatMap { index in
            clients[index].watches.contains(request) ? clients[index].receiveFailure(error, of: round) : []
        }
    }
}
