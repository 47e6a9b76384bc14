@_spi(Programs) import LocationModel
import Testing

@testable import LocationServer
@testable import locationd

/// One line, which everybody may read, says whether the place is known.
@Suite struct ServiceSummaryLineTests {
    private func line(
        _ source: SourceStatus, enabled: Bool = true, location: Location? = nil, clients: Int = 2, waiting: Int = 0
    ) -> String {
        ServiceSummary(
            status: ServiceStatus(
                authorization: .authorizedAlways, accuracy: .full, enabled: enabled, source: source),
            location: location, clients: clients, waitingRequests: waiting
        ).line
    }

    private func location(_ change: (inout Location) -> Void) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 48.8584, longitude: 2.2945)), mode: .threeDimensional,
            monotonicTime: BootInstant(nanoseconds: 0), source: SourceInformation(name: "gpsd"))
        change(&location)
        return location
    }

    private var sky: SourceStatus {
        var status = SourceStatus(state: .tracking)
        (status.satellitesVisible, status.satellitesUsed) = (18, 12)
        return status
    }

    @Test func trackingTellsNeitherQualityNorSky() throws {
        let good = try location { $0.horizontalAccuracy = 3.94 }
        #expect(line(sky, location: good, clients: 3) == "tracking; 3 clients")
        let invented = try location { $0.source.isSimulated = true }
        #expect(line(SourceStatus(state: .tracking), location: invented) == "tracking, simulated; 2 clients")
        let written = try location { $0.source.method = .fixedPosition }
        #expect(line(SourceStatus(state: .tracking), location: written) == "tracking, fixed position; 2 clients")
        #expect(line(SourceStatus(state: .tracking)) == "tracking; 2 clients")
    }

    @Test func absenceTellsWhy() throws {
        var status = SourceStatus(state: .searching)
        status.satellitesVisible = 3
        #expect(line(status, clients: 1) == "searching for a fix; 1 client")
        let unreachable = SourceStatus(state: .unavailable, reason: "nothing listens on 127.0.0.1:2947")
        #expect(line(unreachable) == "no source can be used; 2 clients; nothing listens on 127.0.0.1:2947")
    }

    @Test func requestsThatWaitAreCounted() {
        let unreachable = SourceStatus(state: .unavailable, reason: "why; 7 requests for authorization wait")
        #expect(
            line(SourceStatus(state: .tracking), waiting: 1) == "tracking; 2 clients; 1 request for authorization waits"
        )
        let two = line(unreachable, clients: 0, waiting: 2)
        #expect(two.hasPrefix("no source can be used; no clients; 2 requests for authorization wait; why"))
    }

    @Test func idleTellsNothingOfThePast() throws {
        var status = sky
        status.state = .stopped
        let old = try location { $0.horizontalAccuracy = 3 }
        #expect(line(status, location: old, clients: 0) == "idle; no clients")
        #expect(line(status, enabled: false, location: old) == "switched off; 2 clients")
    }
}
