@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// Which watches are open at the daemon for all managers of this process, and which events each manager receives.
///
/// Managers that want the same share one watch, so that a program with many managers has few connections; the daemon
/// filters for each watch. Each watch is a ``DaemonSession``, which knows when the daemon is tried again. This does no
/// I/O: each input returns the actions to perform.
struct WatchSharing {
    /// Identifies a client; lower numbers are older.
    struct ClientID: Hashable, Sendable {
        let number: Int
    }

    enum Action: Hashable, Sendable {
        case open(WatchRequest)
        /// Open another in place of the present one: a client has joined that waits for its first location.
        case renew(WatchRequest)
        /// A client has joined that has not waited yet.
        case hurry(WatchRequest)
        case close(WatchRequest)
        case deliver(ClientID, TransportEvent)
    }

    /// Seconds for which the last location is delivered to clients that join later.
    static let freshness = 3.0

    private var clients: [Client] = []
    private var watches: [WatchRequest: Watch] = [:]

    /// Replaces a client's interest; ``nextActions(at:)`` has to be called afterwards.
    mutating func setInterest(_ interest: Interest, of id: ClientID) {
        let index = clients.firstIndex { $0.id == id } ?? clients.count
        if index == clients.count { clients.append(Client(id: id)) }
        clients[index].change(to: interest)
    }

    /// The client no longer exists.
    mutating func removeClient(_ id: ClientID) {
        clients.removeAll { $0.id == id }
    }

    /// The actions that follow from the interests.
    mutating func nextActions(at now: BootInstant) -> [Action] {
        var actions: [Action] = []
        let wanted = Set(clients.flatMap(\.watches))
        for request in watches.keys where !wanted.contains(request) {
            watches[request] = nil
            actions.append(.close(request))
        }
        for request in Set(clients.filter(\.hasJoined).flatMap(\.watches)) {
            guard let watch = watches[request] else { continue }
            if watch.failure != nil {
                actions.append(.hurry(request))
            } else if watch.hasNothing(forNewAt: now) {
                watches[request] = Watch()
                actions.append(.renew(request))
            }
        }
        for request in wanted where watches[request] == nil {
            watches[request] = Watch()
            actions.append(.open(request))
        }
        for index in clients.indices where clients[index].hasJoined || !clients[index].isConnected {
            actions += deliverKnownState(to: index, at: now)
            clients[index].hasJoined = false
        }
        return actions
    }

    /// Delivers the known status and location to a client; to one that has just joined also the failure.
    private mutating func deliverKnownState(to index: Int, at now: BootInstant) -> [Action] {
        let known = clients[index].watches.compactMap { watches[$0] }
        if clients[index].hasJoined, let error = known.lazy.compactMap(\.failure).first {
            return clients[index].receiveFailure(error)
        }
        guard let watch = known.first, known.allSatisfy(\.isOpen) else { return [] }
        let actions = watch.status.map { clients[index].receiveStatus($0) } ?? []
        return actions + clients[index].receiveLocation(watch.freshLocation(at: now))
    }

    /// A reply to a watch.
    mutating func receive(_ reply: WatchReply, on request: WatchRequest, at now: BootInstant) -> [Action] {
        guard let wasOpen = watches[request]?.isOpen else { return [] }
        watches[request]?.apply(reply)
        var actions: [Action] = []
        for index in clients.indices {
            let (interest, wanted) = (clients[index].interest, clients[index].watches)
            guard wanted.contains(request) else { continue }
            if let status = reply.status, wanted.first == request {
                actions += clients[index].receiveStatus(status)
            }
            if !wasOpen, !clients[index].isConnected { actions += deliverKnownState(to: index, at: now) }
            if interest.locations == request {
                actions += clients[index].receiveLocation(reply.location?.value, dropped: reply.dropped)
            }
            if interest.headings == request, let heading = reply.heading?.value {
                actions += clients[index].receiveHeading(heading)
            }
        }
        return actions
    }

    /// A watch has ended, or could not be opened; it is tried again.
    mutating func fail(_ error: LocationError, on request: WatchRequest) -> [Action] {
        guard watches[request] != nil else { return [] }
        watches[request] = Watch(failure: error)
        return clients.indices.flatMap { index -> [Action] in
            guard clients[index].watches.contains(request) else { return [] }
            // A client with two watches receives the failures of the first, which come as often.
            guard clients[index].isConnected || clients[index].watches.first == request else { return [] }
            return clients[index].receiveFailure(error)
        }
    }
}
