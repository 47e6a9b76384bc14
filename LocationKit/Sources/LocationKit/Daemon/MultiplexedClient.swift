@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// A client of a ``WatchMultiplexer``: its interest, and what was delivered to it.
struct MultiplexedClient {
    typealias Action = WatchMultiplexer.Action

    let id: WatchMultiplexer.ClientID
    private(set) var interest = Interest()
    /// Its interest has grown, and the known state has not been delivered yet.
    var needsInitialEvents = false
    /// `connected` was delivered, and no `disconnected` since.
    private(set) var isConnected = false
    /// The round of attempts whose failure was delivered last; `nil` once anything else was.
    private var failedRound: Int?
    private var status: ServiceStatus?
    /// The time of the newest location that was delivered; not cleared when the interest ends.
    private var newestDelivered: BootInstant?
    /// Locations dropped on the way since the last one that was delivered.
    private var dropped = 0

    init(id: WatchMultiplexer.ClientID) {
        self.id = id
    }

    var hasFailed: Bool { failedRound != nil }
    var watches: [WatchRequest] { interest.watches }

    mutating func change(to interest: Interest) {
        let before = self.interest
        self.interest = interest
        if before.isEmpty || before.locations == nil && interest.locations != nil
            || before.headings == nil && interest.headings != nil
        {
            needsInitialEvents = true
        }
        if interest.locations == nil { dropped = 0 }
        guard interest.isEmpty else { return }
        needsInitialEvents = false
        isConnected = false
        failedRound = nil
        status = nil
    }

    /// Delivers a status that differs from the last one.
    mutating func receiveStatus(_ status: ServiceStatus) -> [Action] {
        if let delivered = self.status, delivered.equalsIgnoringFixAge(status) { return [] }
        self.status = status
        return deliver(.status(status))
    }

    /// Delivers a location that is newer than the last; counts dropped ones.
    mutating func receiveLocation(_ location: Location?, dropped: Int? = nil) -> [Action] {
        let (sum, overflow) = self.dropped.addingReportingOverflow(max(0, dropped ?? 0))
        self.dropped = overflow ? .max : sum
        guard interest.locations != nil, let location else { return [] }
        if let newestDelivered, location.monotonicTime <= newestDelivered { return [] }
        newestDelivered = location.monotonicTime
        defer { self.dropped = 0 }
        return deliver(.location(location, dropped: self.dropped))
    }

    mutating func receiveHeading(_ heading: Heading) -> [Action] { deliver(.heading(heading)) }

    /// Delivers the failure of an attempt, once for each round.
    mutating func receiveFailure(_ error: LocationError, of round: Int) -> [Action] {
        guard isConnected || failedRound != round else { return [] }
        isConnected = false
        failedRound = round
        status = nil
        return [.deliver(id, .disconnected(error))]
    }

    private mutating func deliver(_ event: TransportEvent) -> [Action] {
        defer {
            isConnected = true
            failedRound = nil
        }
        return (isConnected ? [] : [.deliver(id, .connected)]) + [.deliver(id, event)]
    }
}

extension ServiceStatus {
    /// True if the two differ in nothing but the age of the newest fix, which grows by itself.
    func equalsIgnoringFixAge(_ other: ServiceStatus) -> Bool {
        var twin = other
        twin.fixAge = fixAge
        return self == twin
    }
}

/// A watch of a ``WatchMultiplexer``, with its latest status and location.
struct MultiplexedWatch {
    /// When the first reply is due; `nil` once it has come.
    private(set) var replyDeadline: BootInstant?
    private var view = UserView()
    /// `nil` after the permission to know it, or to know it that precisely, has ended.
    private var location: Location?

    init(replyDeadline: BootInstant) {
        self.replyDeadline = replyDeadline
    }

    var status: ServiceStatus? { view.status }

    /// True once the daemon has replied.
    var isOpen: Bool { replyDeadline == nil }

    /// The last location, if it may be delivered to a client that joins.
    func freshLocation(at now: BootInstant) -> Location? {
        location.flatMap { $0.age(at: now) < WatchMultiplexer.freshness ? $0 : nil }
    }

    /// Whether a client that joins would wait for a first location, because this watch is paused, or its filter holds
    /// locations back: it needs a watch of which it is the first client.
    func hasNothing(forNewAt now: BootInstant) -> Bool {
        guard let status else { return false }
        let isHeldBack = location != nil && freshLocation(at: now) == nil && LocationError(absenceIn: status) == nil
        return status.paused == true || isHeldBack
    }

    mutating func apply(_ reply: WatchReply) {
        replyDeadline = nil
        if let status = reply.status, view.apply(status) != nil { location = nil }
        if let location = reply.location?.value { self.location = location }
    }
}
