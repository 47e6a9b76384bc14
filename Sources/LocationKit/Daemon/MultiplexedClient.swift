import LocationInterface
import LocationModel

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
    /// The last delivered location, which the filter compares with. `nil` after a status without a location: the next
    /// location is then delivered whatever the filter says.
    private var anchor: LocationFilter.Anchor?
    /// The last delivered heading, which the filter compares with.
    private var lastHeading: Heading?
    /// Locations dropped on the way since the last one that was delivered.
    private var dropped = 0

    init(id: WatchMultiplexer.ClientID) {
        self.id = id
    }

    var hasFailed: Bool { failedRound != nil }

    mutating func change(to interest: Interest) {
        let before = self.interest
        self.interest = interest
        if before.isEmpty || before.locations == nil && interest.locations != nil
            || !before.headings && interest.headings
        {
            needsInitialEvents = true
        }
        if interest.locations == nil {
            anchor = nil
            dropped = 0
        }
        if !interest.headings { lastHeading = nil }
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
        if LocationError(absenceIn: status) != nil || status.paused == true { anchor = nil }
        return deliver(.status(status))
    }

    /// Delivers a location that is newer than the last and passes the filter; counts dropped ones.
    mutating func receiveLocation(_ location: Location?, dropped: Int? = nil) -> [Action] {
        let (sum, overflow) = self.dropped.addingReportingOverflow(max(0, dropped ?? 0))
        self.dropped = overflow ? .max : sum
        guard let filter = interest.locations, let location else { return [] }
        if let newestDelivered, location.monotonicTime <= newestDelivered { return [] }
        guard filter.admits(location, since: anchor) else { return [] }
        newestDelivered = location.monotonicTime
        anchor = .init(location)
        defer { self.dropped = 0 }
        return deliver(.location(location, dropped: self.dropped))
    }

    mutating func receiveHeading(_ heading: Heading) -> [Action] {
        if let degrees = interest.headingFilter {
            guard HeadingFilter(degrees: degrees).admits(heading, since: lastHeading) else { return [] }
            lastHeading = heading
        }
        return deliver(.heading(heading))
    }

    /// Delivers the failure of an attempt, once for each round.
    mutating func receiveFailure(_ error: LocationError, of round: Int) -> [Action] {
        guard isConnected || failedRound != round else { return [] }
        isConnected = false
        failedRound = round
        status = nil
        anchor = nil
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
    let parameters: WatchRequest
    /// When the first reply is due; `nil` once it has come.
    private(set) var replyDeadline: BootInstant?
    private(set) var status: ServiceStatus?
    /// `nil` after the permission to know it has ended.
    private(set) var location: Location?

    init(parameters: WatchRequest, replyDeadline: BootInstant) {
        self.parameters = parameters
        self.replyDeadline = replyDeadline
    }

    /// True once the daemon has replied.
    var isOpen: Bool { replyDeadline == nil }

    mutating func apply(_ reply: WatchReply) {
        replyDeadline = nil
        if let status = reply.status {
            self.status = status
            if !status.enabled || !AuthorizationLevel.whenInUse.isGranted(by: status.authorization) { location = nil }
        }
        if let location = reply.location?.value { self.location = location }
    }
}
