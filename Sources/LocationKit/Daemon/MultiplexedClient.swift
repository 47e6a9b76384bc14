import LocationInterface
import LocationModel

/// A client of a ``WatchMultiplexer``: what it wishes, and what it was delivered.
struct MultiplexedClient {
    typealias Action = WatchMultiplexer.Action

    let id: WatchMultiplexer.ClientID
    private(set) var interest = Interest()
    /// It wishes something that it did not before, and has not been told what is known of that.
    var needsInitialEvents = false
    /// It was told `connected`, and no loss since.
    private(set) var isConnected = false
    /// The try whose failure it was told, and nothing since.
    private var failedRound: Int?
    private var status: ServiceStatus?
    /// When the newestDelivered location came that it was told; kept without an interest.
    private var newestDelivered: BootInstant?
    /// The last location it was told, unless it was told since that there is none: then the next one is news.
    private var anchor: LocationFilter.Anchor?
    /// Locations lost on the way since the last one it was delivered.
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
        guard interest.isEmpty else { return }
        needsInitialEvents = false
        isConnected = false
        failedRound = nil
        status = nil
    }

    /// A status, unless it says what the last one said.
    mutating func receiveStatus(_ status: ServiceStatus) -> [Action] {
        if let delivered = self.status, delivered.equalsIgnoringFixAge(status) { return [] }
        self.status = status
        if LocationError(absenceIn: status) != nil { anchor = nil }
        return deliver(.status(status))
    }

    /// A location, if it is new to this client and passes its filter, or none that could have been one.
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
        deliver(.heading(heading))
    }

    /// The failure of a try, told once for each.
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
    /// True if nothing but the age of the newestDelivered fix differs, which goes on by itself.
    func equalsIgnoringFixAge(_ other: ServiceStatus) -> Bool {
        var twin = other
        twin.fixAge = fixAge
        return self == twin
    }
}

/// A watch of a ``WatchMultiplexer``, and what it has told last.
struct MultiplexedWatch {
    let parameters: WatchParameters
    /// When its first answer has to be there; `nil` once it is.
    private(set) var replyDeadline: BootInstant?
    private(set) var status: ServiceStatus?
    /// Not kept where it may not be known any more.
    private(set) var location: Location?

    init(parameters: WatchParameters, replyDeadline: BootInstant) {
        self.parameters = parameters
        self.replyDeadline = replyDeadline
    }

    /// True once the daemon has answered.
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
