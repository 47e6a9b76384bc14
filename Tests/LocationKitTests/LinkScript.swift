import LocationInterface
import Testing

@testable import LocationKit

/// A ``DaemonLink`` with a clock that the test sets, and what it is given.
struct LinkScript {
    typealias Kind = DaemonLink.WatchKind

    var link = DaemonLink(path: "/run/x")
    /// Seconds since boot.
    var now = 100.0
    /// Neither early nor late.
    var jitter = 0.5

    private var moment: BootInstant { BootInstant(seconds: now) }

    static func id(_ number: Int) -> DaemonLink.ClientID { DaemonLink.ClientID(number: number) }

    static func wish(
        _ locations: LocationFilter? = nil, headings: Bool = false, status: Bool = false, purpose: String? = nil
    ) -> Wish {
        var wish = Wish()
        wish.locations = locations
        wish.headings = headings
        wish.status = status
        wish.purpose = purpose
        return wish
    }

    static func status(
        _ source: SourceState = .tracking, _ authorization: AuthorizationStatus = .authorizedAlways,
        enabled: Bool = true, fixAge: Double? = nil
    ) -> ServiceStatus {
        ServiceStatus(
            authorization: authorization, accuracy: .full, enabled: enabled, source: SourceStatus(state: source),
            fixAge: fixAge)
    }

    /// A fix so many seconds after boot, so many metres north of the equator.
    static func location(_ seconds: Double, metres: Double = 0, accuracy: Double? = nil) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: metres / 110_574, longitude: 0)),
            monotonicTime: BootInstant(seconds: seconds), source: SourceInformation(name: "gpsd"))
        location.horizontalAccuracy = accuracy
        return location
    }

    mutating func wish(_ number: Int, _ wish: Wish) {
        link.wish(wish, of: Self.id(number))
    }

    mutating func settle() -> [DaemonLink.Action] {
        link.settle(at: moment, jitter: jitter)
    }

    mutating func told(
        _ kind: Kind, status: ServiceStatus? = nil, location: Location? = nil, heading: Heading? = nil,
        dropped: Int? = nil, continues: Bool = true
    ) -> [DaemonLink.Action] {
        let reply = WatchReply(
            status: status, location: location.map { Aged($0, age: 0) }, heading: heading.map { Aged($0, age: 0) },
            dropped: dropped)
        return link.receive(reply, continues: continues, on: kind, at: moment, jitter: jitter)
    }

    mutating func ended(_ kind: Kind, _ error: LocationError = .disconnected) -> [DaemonLink.Action] {
        link.ended(kind, error, at: moment, jitter: jitter)
    }

    /// Seconds from now until the link wants to be settled.
    var wait: Double? { link.deadline.map { $0.seconds(since: moment) } }

    /// Wishes of one client, answered.
    mutating func open(_ number: Int, _ wish: Wish, _ kind: Kind) {
        self.wish(number, wish)
        _ = settle()
        _ = told(kind, status: Self.status())
    }
}

extension [DaemonLink.Action] {
    /// What one client is told.
    func events(for number: Int) -> [ServiceEvent] {
        compactMap { if case .tell(LinkScript.id(number), let event) = $0 { event } else { nil } }
    }

    var opened: [DaemonLink.WatchKind] { compactMap { if case .open(let kind, _) = $0 { kind } else { nil } } }
    var closed: [DaemonLink.WatchKind] { compactMap { if case .close(let kind) = $0 { kind } else { nil } } }

    /// What a watch is opened with.
    func parameters(of kind: DaemonLink.WatchKind) -> WatchRequest? {
        lazy.compactMap { if case .open(kind, let parameters) = $0 { parameters } else { nil } }.first
    }
}
