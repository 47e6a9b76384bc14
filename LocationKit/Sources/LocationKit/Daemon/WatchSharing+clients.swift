@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession

extension WatchSharing {
    /// A client's interest, and what was delivered to it.
    struct Client {
        let id: ClientID
        private(set) var interest = Interest()
        /// Its interest has grown, and the known state has not been delivered yet.
        var hasJoined = false
        /// `connected` was delivered, and no `disconnected` since.
        private(set) var isConnected = false
        private var status: ServiceStatus?
        /// The locations that were delivered; not cleared when the interest ends.
        private var seen = SeenFixes()
        /// Locations dropped on the way since the last one that was delivered.
        private var dropped = 0

        init(id: ClientID) { self.id = id }

        var watches: [WatchRequest] { interest.watches }

        mutating func change(to interest: Interest) {
            let before = self.interest
            self.interest = interest
            if before.isEmpty || before.locations == nil && interest.locations != nil
                || before.headings == nil && interest.headings != nil
            {
                hasJoined = true
            }
            if interest.locations == nil { dropped = 0 }
            guard interest.isEmpty else { return }
            (hasJoined, isConnected, status) = (false, false, nil)
        }

        /// Delivers a status that differs from the last one.
        mutating func receiveStatus(_ status: ServiceStatus) -> [Action] {
            if let delivered = self.status, delivered.equalsIgnoringFixAge(status) { return [] }
            self.status = status
            return deliver(.status(status))
        }

        /// Delivers a location that is new; counts dropped ones.
        mutating func receiveLocation(_ location: Location?, dropped: Int? = nil) -> [Action] {
            let (sum, overflow) = self.dropped.addingReportingOverflow(max(0, dropped ?? 0))
            self.dropped = overflow ? .max : sum
            guard interest.locations != nil, let location, seen.admit(location) else { return [] }
            defer { self.dropped = 0 }
            return deliver(.location(location, dropped: self.dropped))
        }

        mutating func receiveHeading(_ heading: Heading) -> [Action] { deliver(.heading(heading)) }

        mutating func receiveFailure(_ error: LocationError) -> [Action] {
            (isConnected, status) = (false, nil)
            return [.deliver(id, .disconnected(error))]
        }

        private mutating func deliver(_ event: TransportEvent) -> [Action] {
            defer { isConnected = true }
            return (isConnected ? [] : [.deliver(id, .connected)]) + [.deliver(id, event)]
        }
    }

    /// A watch, with its latest status and location.
    struct Watch {
        /// Why there is none at present.
        let failure: LocationError?
        /// Whether the daemon has answered.
        private(set) var isOpen = false
        private var view = UserView()
        /// `nil` after the permission to know it, or to know it that precisely, has ended.
        private var location: Location?

        init(failure: LocationError? = nil) { self.failure = failure }

        var status: ServiceStatus? { view.status }

        /// The last location, if it may be delivered to a client that joins.
        func freshLocation(at now: BootInstant) -> Location? {
            location.flatMap { $0.age(at: now) < WatchSharing.freshness ? $0 : nil }
        }

        /// Whether a client that joins would wait for a first location, because this watch is paused, or its filter
        /// holds locations back: it needs a watch of which it is the first client.
        func hasNothing(forNewAt now: BootInstant) -> Bool {
            guard let status else { return false }
            let isHeldBack = location != nil && freshLocation(at: now) == nil && LocationError(absenceIn: status) == nil
            return status.paused == true || isHeldBack
        }

        mutating func apply(_ reply: WatchReply) {
            if failure != nil { self = Watch() }
            isOpen = true
            if let status = reply.status, view.apply(status) != nil { location = nil }
            if let location = reply.location?.value { self.location = location }
        }
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
