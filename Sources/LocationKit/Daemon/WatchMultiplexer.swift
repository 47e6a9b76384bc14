import LocationInterface
import LocationModel
import SystemSupport

/// Decides which watches are open at the daemon for all managers of this process, and which events each manager
/// receives. It does no I/O: each input carries the current time and returns the actions to perform.
///
/// At most three watches are open: one for locations, one for headings, and one for the status while neither of the
/// others is open. Each watch requests the union of what its clients want, and each client's own filter is applied on
/// top. After a failure all closed watches are retried together.
struct WatchMultiplexer {
    enum WatchKind: CaseIterable, Sendable {
        case locations, headings, status
    }

    /// Identifies a client; lower numbers are older.
    struct ClientID: Hashable, Sendable {
        let number: Int
    }

    enum Action: Hashable, Sendable {
        case open(WatchKind, WatchRequest)
        case close(WatchKind)
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
    var watches: [WatchKind: MultiplexedWatch] = [:]
    /// The union of all interests, as of the last ``nextActions(at:jitter:)``.
    var wanted: [WatchKind: WatchRequest] = [:]
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
        clients[index].change(to: interest)
    }

    /// The client no longer exists.
    mutating func removeClient(_ id: ClientID) {
        clients.removeAll { $0.id == id }
    }

    /// When ``nextActions(at:jitter:)`` has to be called if no interest changes before.
    var deadline: BootInstant? {
        let answers = watches.values.compactMap(\.replyDeadline)
        let waits = wanted.keys.contains { watches[$0] == nil }
        return (answers + (waits ? [retry].compactMap(\.self) : [])).min()
    }

    /// The actions that follow from the interests and the time.
    ///
    /// - Parameter jitter: 0..<1, a random number of the caller's.
    mutating func nextActions(at now: BootInstant, jitter: Double) -> [Action] {
        var actions: [Action] = []
        for kind in WatchKind.allCases where watches[kind]?.replyDeadline.map({ $0 <= now }) ?? false {
            actions.append(.close(kind))
            actions += watchEnded(
                kind, .silent(at: path), at: now, jitter: jitter)
        }
        wanted = parameters()
        var reopened: Set<WatchKind> = []
        for kind in WatchKind.allCases {
            guard let watch = watches[kind] else { continue }
            // A paused watch delivers nothing to a client that joins.
            let isPausedForNew =
                watch.status?.paused == true
                && clients.contains { $0.needsInitialEvents && self.kinds(of: $0).contains(kind) }
            guard watch.parameters != wanted[kind] || isPausedForNew else { continue }
            actions.append(.close(kind))
            watches[kind] = nil
            if wanted[kind] != nil { reopened.insert(kind) }
        }
        let newClientWaits = clients.contains { client in
            client.needsInitialEvents && kinds(of: client).contains { watches[$0] == nil && !reopened.contains($0) }
        }
        // A new client does not wait as long as those that have received failures already.
        if newClientWaits, let retry { self.retry = min(retry, earliestRetry ?? now) }
        if let retry, retry <= now { self.retry = nil }
        for kind in WatchKind.allCases where watches[kind] == nil && (retry == nil || reopened.contains(kind)) {
            guard let parameters = wanted[kind] else { continue }
            watches[kind] = MultiplexedWatch(
                parameters: parameters, replyDeadline: now.advanced(bySeconds: Self.replyTimeout))
            actions.append(.open(kind, parameters))
        }
        for index in clients.indices where clients[index].needsInitialEvents || !clients[index].isConnected {
            actions += deliverKnownState(to: index, at: now)
            clients[index].needsInitialEvents = false
        }
        return actions
    }

    /// Delivers the known status and location to a client.
    mutating func deliverKnownState(to index: Int, at now: BootInstant) -> [Action] {
        let client = clients[index]
        let needed = kinds(of: client)
        if needed.contains(where: { watches[$0] == nil }) {
            return client.needsInitialEvents ? clients[index].receiveFailure(lastError, of: round) : []
        }
        // A client that received a failure gets `connected` only when all its watches are back.
        if client.hasFailed, needed.contains(where: { watches[$0]?.isOpen != true }) { return [] }
        guard let watch = primary(of: client).flatMap({ watches[$0] }), watch.isOpen else { return [] }
        var actions = watch.status.map { clients[index].receiveStatus($0) } ?? []
        if let location = watch.location, location.age(at: now) < Self.freshness {
            actions += clients[index].receiveLocation(location)
        }
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
        _ reply: WatchReply, continues: Bool, on kind: WatchKind, at now: BootInstant, jitter: Double
    ) -> [Action] {
        guard let isAnswered = watches[kind]?.isOpen else { return [] }
        if !isAnswered { backoff.succeed() }
        watches[kind]?.apply(reply)
        var actions: [Action] = []
        for index in clients.indices where kinds(of: clients[index]).contains(kind) {
            if let status = reply.status, primary(of: clients[index]) == kind {
                actions += clients[index].receiveStatus(status)
            }
            if !isAnswered, !clients[index].isConnected { actions += deliverKnownState(to: index, at: now) }
            switch kind {
            case .locations: actions += clients[index].receiveLocation(reply.location?.value, dropped: reply.dropped)
            case .headings: actions += reply.heading.map { clients[index].receiveHeading($0.value) } ?? []
            case .status: break
            }
        }
        if !continues { actions += [.close(kind)] + watchEnded(kind, .disconnected, at: now, jitter: jitter) }
        return actions
    }

    /// A watch has ended, or could not be opened.
    ///
    /// - Parameter jitter: 0..<1, a random number of the caller's.
    mutating func watchEnded(
        _ kind: WatchKind, _ error: LocationError, at now: BootInstant, jitter: Double
    ) -> [Action] {
        guard let watch = watches.removeValue(forKey: kind) else { return [] }
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
            kinds(of: clients[index]).contains(kind) ? clients[index].receiveFailure(error, of: round) : []
        }
    }
}

/// The union of the clients' interests.
extension WatchMultiplexer {
    /// The parameters of each watch; none for a watch that no client needs.
    func parameters() -> [WatchKind: WatchRequest] {
        var wanted: [WatchKind: WatchRequest] = [:]
        let locations = clients.filter { $0.interest.locations != nil }
        if !locations.isEmpty {
            let filters = locations.compactMap(\.interest.locations)
            var parameters = watch(for: locations)
            parameters.distanceFilter = Self.smallest(filters.map(\.distance))
            parameters.minimumInterval = Self.smallest(filters.map(\.interval))
            parameters.maximumDelay = Self.smallest(locations.map(\.interest.maximumDelay))
            parameters.requiredAccuracy = Self.weakest(filters.map(\.requiredAccuracy))
            parameters.desiredAccuracy = locations.compactMap(\.interest.desiredAccuracy).min()
            pause(&parameters, for: locations)
            wanted[.locations] = parameters
        }
        let headings = clients.filter { $0.interest.headings }
        if !headings.isEmpty {
            var parameters = watch(for: headings)
            parameters.location = false
            parameters.heading = true
            parameters.headingFilter = Self.smallest(headings.map(\.interest.headingFilter))
            wanted[.headings] = parameters
        }
        let others = clients.filter { !$0.interest.isEmpty }
        if wanted.isEmpty, !others.isEmpty {
            var parameters = watch(for: others)
            parameters.location = false
            wanted[.status] = parameters
        }
        return wanted
    }

    /// The watch that provides a client's status.
    func primary(of client: MultiplexedClient) -> WatchKind? {
        if client.interest.locations != nil { return .locations }
        if client.interest.headings { return .headings }
        guard client.interest.status else { return nil }
        return WatchKind.allCases.first { wanted[$0] != nil }
    }

    /// The watches that a client needs.
    func kinds(of client: MultiplexedClient) -> [WatchKind] {
        guard let primary = primary(of: client) else { return [] }
        return primary == .locations && client.interest.headings ? [primary, .headings] : [primary]
    }

    /// The watch may pause if all of its clients may, after the longest of their delays. Its filters are those of the
    /// clients, and not the activity's.
    private func pause(_ parameters: inout WatchRequest, for clients: [MultiplexedClient]) {
        let activities = clients.compactMap(\.interest.pausingActivity)
        guard activities.count == clients.count else { return }
        parameters.pausesAutomatically = true
        guard let longest = activities.max(by: { $0.pauseDelay < $1.pauseDelay }), longest != .other else { return }
        parameters.activityType = longest
        parameters.distanceFilter = parameters.distanceFilter ?? 0
        parameters.minimumInterval = parameters.minimumInterval ?? 0
    }

    private func watch(for clients: [MultiplexedClient]) -> WatchRequest {
        var parameters = WatchRequest()
        parameters.purpose = clients.lazy.compactMap(\.interest.purpose).first.map(Self.shortened)
        return parameters
    }

    /// The daemon accepts 256 bytes. A longer purpose of one client would have the shared watch refused for all.
    private static func shortened(_ purpose: String) -> String {
        var bytes = 0
        return String(
            purpose.prefix { character in
                bytes += character.utf8.count
                return bytes <= 256
            })
    }

    /// `nil` if one client has no limit. A limit that the daemon would not accept counts as none and is left to the
    /// client's own filter.
    private static func smallest(_ limits: [Double?]) -> Double? {
        let limits = acceptable(limits)
        return limits.contains(nil) ? nil : limits.compactMap(\.self).min()
    }

    private static func weakest(_ limits: [Double?]) -> Double? {
        let limits = acceptable(limits)
        return limits.contains(nil) ? nil : limits.compactMap(\.self).max()
    }

    private static func acceptable(_ limits: [Double?]) -> [Double?] {
        limits.map { limit in limit.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } }
    }
}
