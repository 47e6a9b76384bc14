@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// A ``WatchSharing`` whose clock and input the test sets.
struct SharingScript {
    var sharing = WatchSharing()
    /// Seconds since boot.
    var now = 100.0

    private var moment: BootInstant { BootInstant(seconds: now) }

    static func id(_ number: Int) -> WatchSharing.ClientID { WatchSharing.ClientID(number: number) }

    static let locations = WatchRequest()
    static let headings = {
        var request = status
        request.heading = true
        return request
    }()
    static let status = {
        var request = WatchRequest()
        request.location = false
        return request
    }()

    /// A watch of locations that are so many metres apart.
    static func locations(every metres: Double?) -> WatchRequest {
        var request = WatchRequest()
        request.distanceFilter = metres
        return request
    }

    static func interest(_ locations: WatchRequest? = nil, headings: Bool = false, status: Bool = false) -> Interest {
        var interest = Interest()
        interest.locations = locations
        interest.headings = headings ? Self.headings : nil
        interest.status = status ? Self.status : nil
        return interest
    }

    static func status(
        _ source: SourceState = .tracking, _ authorization: AuthorizationStatus = .authorizedAlways,
        enabled: Bool = true, fixAge: Double? = nil
    ) -> ServiceStatus {
        ServiceStatus(
            authorization: authorization, accuracy: .full, enabled: enabled, source: SourceStatus(state: source),
            fixAge: fixAge)
    }

    /// A fix at a number of seconds after boot, with a number that follows from it, and a number of metres north of the
    /// equator.
    static func location(_ seconds: Double, metres: Double = 0, accuracy: Double? = nil) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: metres / 110_574, longitude: 0)),
            monotonicTime: BootInstant(seconds: seconds), source: SourceInformation(name: "gpsd"))
        location.horizontalAccuracy = accuracy
        location.sequence = Int64(seconds * 10)
        return location
    }

    mutating func setInterest(_ number: Int, _ interest: Interest) {
        sharing.setInterest(interest, of: Self.id(number))
    }

    mutating func nextActions() -> [WatchSharing.Action] {
        sharing.nextActions(at: moment)
    }

    mutating func reply(
        _ request: WatchRequest, status: ServiceStatus? = nil, location: Location? = nil, heading: Heading? = nil,
        dropped: Int? = nil
    ) -> [WatchSharing.Action] {
        let reply = WatchReply(
            status: status, location: location.map { Aged($0, age: 0) }, heading: heading.map { Aged($0, age: 0) },
            dropped: dropped)
        return sharing.receive(reply, on: request, at: moment)
    }

    mutating func fail(_ request: WatchRequest, _ error: LocationError = .disconnected) -> [WatchSharing.Action] {
        sharing.fail(error, on: request)
    }

    /// Sets the interest of one client, and answers its watches.
    mutating func open(_ number: Int, _ interest: Interest) {
        self.setInterest(number, interest)
        _ = nextActions()
        for request in interest.watches { _ = reply(request, status: Self.status()) }
    }
}

extension [WatchSharing.Action] {
    /// The events that one client receives.
    func events(for number: Int) -> [TransportEvent] {
        compactMap { if case .deliver(SharingScript.id(number), let event) = $0 { event } else { nil } }
    }

    var opened: [WatchRequest] { compactMap { if case .open(let request) = $0 { request } else { nil } } }
}
