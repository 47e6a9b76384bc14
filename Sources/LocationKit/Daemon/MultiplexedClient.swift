import LocationInterface
import LocationModel

/// A client of a ``WatchMultiplexer``: what it wishes, and what it was told.
struct MultiplexedClient {
    typealias Action = WatchMultiplexer.Action

    let id: WatchMultiplexer.ClientID
    private(set) var wish = Interest()
    /// It wishes something that it did not before, and has not been told what is known of that.
    var isNew = false
    /// It was told `connected`, and no loss since.
    private(set) var isConnected = false
    /// The try whose failure it was told, and nothing since.
    private var lostRound: Int?
    private var status: ServiceStatus?
    /// When the newest location came that it was told; kept without a wish.
    private var newest: BootInstant?
    /// The last location it was told, unless it was told since that there is none: then the next one is news.
    private var anchor: LocationFilter.Anchor?
    /// Locations lost on the way since the last one it was told.
    private var dropped = 0

    init(id: WatchMultiplexer.ClientID) {
        self.id = id
    }

    var isLost: Bool { lostRound != nil }

    mutating func change(to wish: Interest) {
        let before = self.wish
        self.wish = wish
        if before.isEmpty || before.locations == nil && wish.locations != nil || !before.headings && wish.headings {
            isNew = true
        }
        if wish.locations == nil {
            anchor = nil
            dropped = 0
        }
        guard wish.isEmpty else { return }
        isNew = false
        isConnected = false
        lostRound = nil
        status = nil
    }

    /// A status, unless it says what the last one said.
    mutating func take(_ status: ServiceStatus) -> [Action] {
        if let told = self.status, told.saysTheSame(as: status) { return [] }
        self.status = status
        if LocationError(absenceIn: status) != nil { anchor = nil }
        return tell(.status(status))
    }

    /// A location, if it is new to this client and passes its filter, or none that could have been one.
    mutating func take(_ location: Location?, dropped: Int? = nil) -> [Action] {
        let (sum, overflow) = self.dropped.addingReportingOverflow(max(0, dropped ?? 0))
        self.dropped = overflow ? .max : sum
        guard let filter = wish.locations, let location else { return [] }
        if let newest, location.monotonicTime <= newest { return [] }
        guard filter.admits(location, since: anchor) else { return [] }
        newest = location.monotonicTime
        anchor = .init(location)
        defer { self.dropped = 0 }
        return tell(.location(location, dropped: self.dropped))
    }

    mutating func take(_ heading: Heading) -> [Action] {
        tell(.heading(heading))
    }

    /// The failure of a try, told once for each.
    mutating func lost(_ error: LocationError, in round: Int) -> [Action] {
        guard isConnected || lostRound != round else { return [] }
        isConnected = false
        lostRound = round
        status = nil
        anchor = nil
        return [.tell(id, .disconnected(error))]
    }

    private mutating func tell(_ event: TransportEvent) -> [Action] {
        defer {
            isConnected = true
            lostRound = nil
        }
        return (isConnected ? [] : [.tell(id, .connected)]) + [.tell(id, event)]
    }
}

extension ServiceStatus {
    /// True if nothing but the age of the newest fix differs, which goes on by itself.
    func saysTheSame(as other: ServiceStatus) -> Bool {
        var twin = other
        twin.fixAge = fixAge
        return self == twin
    }
}

/// A watch of a ``WatchMultiplexer``, and what it has told last.
struct MultiplexedWatch {
    let parameters: WatchParameters
    /// When its first answer has to be there; `nil` once it is.
    private(set) var answerDue: BootInstant?
    private(set) var status: ServiceStatus?
    /// Not kept where it may not be known any more.
    private(set) var location: Location?

    init(parameters: WatchParameters, answerDue: BootInstant) {
        self.parameters = parameters
        self.answerDue = answerDue
    }

    /// True once the daemon has answered.
    var isOpen: Bool { answerDue == nil }

    mutating func take(_ reply: WatchReply) {
        answerDue = nil
        if let status = reply.status {
            self.status = status
            if !status.enabled || !AuthorizationLevel.whenInUse.isGranted(by: status.authorization) { location = nil }
        }
        if let location = reply.location?.value { self.location = location }
    }
}
