import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ManagerErrorTests {
    private let transport = ManagerTestTransport()
    private let errors = ValueRecorder<LocationError>()

    private func makeManager(errorLimit: Int? = nil) -> LocationManager {
        let manager = LocationManager(LocationConfiguration(errorLimit: errorLimit), transport: transport)
        manager.addObserver(errors.observer())
        return manager
    }

    @Test func eachLossOfTheConnectionIsReported() {
        let manager = makeManager()
        manager.startUpdating()
        transport.deliver(.disconnected(.gone), .disconnected(.gone), .connected, .disconnected(.disconnected))
        #expect(errors.values == [.gone, .disconnected])
        #expect(manager.isUpdating)
    }

    /// However often the connection is tried, and whatever the attempts fail with.
    @Test func serviceThatIsAwayIsReportedAtThePaceOfAnOutage() {
        let manager = makeManager()
        manager.startUpdating()
        for _ in 0..<100 {
            transport.deliver(.disconnected(.disconnected), .disconnected(.gone))
            transport.advance(bySeconds: 0.25)
        }
        // At 0, 10 and 20 s.
        #expect(errors.values == [.disconnected, .gone, .gone])
        #expect(manager.isUpdating)
    }

    @Test func serviceThatIsAbsentAtTheStartEndsUpdatingAfterTwentySeconds() {
        let manager = makeManager(errorLimit: 3)
        manager.startUpdating()
        var end: Double?
        for attempt in 0..<100 where end == nil {
            transport.deliver(.disconnected(.gone))
            if !manager.isUpdating { end = Double(attempt) * 0.25 }
            transport.advance(bySeconds: 0.25)
        }
        #expect(end.map { (20.0..<21).contains($0) } == true, "\(String(describing: end))")
        #expect(errors.values == [.gone, .gone, .gone])
    }

    /// Nothing comes from the service meanwhile: the manager wakes up for it.
    @Test func outageOfTheReceiversIsReportedAgainWhileItLasts() {
        let manager = makeManager()
        manager.startUpdating()
        transport.deliver(.connected, .status(.with(source: .unavailable, reason: "no gpsd")))
        let outage = LocationError.unavailable(reason: "no gpsd", best: nil)
        transport.advance(bySeconds: 9.9)
        #expect(errors.values == [outage])
        transport.advance(bySeconds: 0.1)
        #expect(errors.values == [outage, outage])
        // Another reason is no other outage.
        transport.deliver(.status(.with(source: .unavailable, reason: "no receiver")))
        #expect(errors.values == [outage, outage])
        transport.advance(bySeconds: 10)
        #expect(errors.values == [outage, outage, .unavailable(reason: "no receiver", best: nil)])
        transport.deliver(.status(.tracking))
        transport.advance(bySeconds: 100)
        #expect(errors.values.count == 3)
        #expect(transport.moment == nil)
    }

    @Test func outageOfTheReceiversReachesTheErrorLimit() throws {
        let manager = LocationManager(LocationConfiguration(errorLimit: 3), transport: transport)
        manager.startUpdating()
        transport.deliver(.connected, .status(.tracking), try Location.at().event)
        transport.deliver(.status(.with(source: .unavailable, reason: "no gpsd")))
        transport.advance(bySeconds: 10)
        #expect(manager.isUpdating)
        transport.advance(bySeconds: 10)
        #expect(!manager.isUpdating && transport.interest.isEmpty && transport.moment == nil)
    }

    /// A decision is no outage: it is waited for as long as it takes.
    @Test(arguments: [ServiceStatus.denied, .with(.notDetermined), .with(enabled: false)])
    func refusalIsReportedOnce(status: ServiceStatus) {
        let manager = makeManager(errorLimit: 3)
        manager.startUpdating()
        transport.deliver(.connected, .status(status))
        for _ in 0..<10 { transport.advance(bySeconds: 10) }
        #expect(errors.values.count == 1 && manager.isUpdating)
        #expect(transport.moment == nil)
    }

    @Test func startDuringAnOutageIsToldAtOnce() {
        let manager = makeManager()
        manager.addObserver(Observer<AuthorizationStatus> { _ in })
        manager.startUpdating()
        transport.deliver(.disconnected(.gone))
        manager.stopUpdating()
        #expect(errors.values == [.gone])
        manager.startUpdating()
        #expect(errors.values == [.gone, .gone])
        transport.deliver(.disconnected(.gone))
        #expect(errors.values == [.gone, .gone])
    }

    /// Loops have a state, which does not repeat itself.
    @Test func loopsAreToldOfAnOutageOnce() async throws {
        let manager = makeManager()
        var reports = manager.updates.makeAsyncIterator()
        transport.deliver(.connected, .status(.with(source: .unavailable, reason: "no gpsd")))
        for _ in 0..<3 { transport.advance(bySeconds: 10) }
        #expect(errors.values.count == 4)
        let location = try Location.at()
        transport.deliver(.status(.tracking), location.event)
        #expect(await reports.next() == .noLocation(.unavailable(reason: "no gpsd", best: nil)))
        #expect(await reports.next() == .location(location))
    }

    @Test func aStateThatBecomesAFailureIsReportedOnceUntilItChanges() {
        let manager = makeManager()
        manager.startUpdating()
        let unavailable = ServiceStatus.with(source: .unavailable, reason: "no gpsd")
        transport.deliver(.connected, .status(.tracking), .status(unavailable))
        var aged = unavailable
        aged.fixAge = 7
        transport.deliver(.status(aged), .status(.tracking), .status(.with(enabled: false)), .status(unavailable))
        #expect(
            errors.values == [
                .unavailable(reason: "no gpsd", best: nil), .disabled, .unavailable(reason: "no gpsd", best: nil),
            ])
    }

    @Test func aSearchingReceiverIsNoFailure() {
        let manager = makeManager()
        manager.startUpdating()
        for source in [SourceState.starting, .searching, .tracking, .lost, .stopped, .unknown] {
            transport.deliver(.status(.with(source: source)))
        }
        transport.deliver(.status(.with(.authorizedWhenInUse)))
        #expect(errors.values.isEmpty)
    }

    @Test func aDenialIsReportedOnlyToManagersThatRequestLocations() {
        let manager = makeManager()
        manager.addObserver(Observer<AuthorizationStatus> { _ in })
        transport.deliver(.connected, .status(.denied))
        #expect(errors.values.isEmpty)
        let denial = LocationError.unauthorized(.denied, reason: "refused")
        manager.startUpdating()
        #expect(errors.values == [denial])
        manager.stopUpdating()
        manager.startUpdating()
        #expect(errors.values == [denial, denial])
    }

    @Test func updatingStopsAfterSoManyFailuresInARow() throws {
        let manager = makeManager(errorLimit: 3)
        let loop = manager.locations
        manager.startUpdating()
        manager.startUpdatingHeading()
        transport.deliver(.disconnected(.gone))
        transport.advance(bySeconds: 10)
        transport.deliver(.connected, try Location.at().event)
        transport.deliver(.disconnected(.disconnected))
        transport.advance(bySeconds: 10)
        #expect(manager.isUpdating && errors.values.count == 4)
        transport.advance(bySeconds: 10)
        #expect(!manager.isUpdating)
        #expect(!manager.isUpdatingHeading)
        #expect(transport.interest.locations != nil)
        #expect(transport.interest.headings == nil)
        withExtendedLifetime(loop) {}
    }

    @Test func aNewStartCountsFailuresAnew() {
        let manager = makeManager(errorLimit: 2)
        manager.startUpdating()
        transport.deliver(.connected, .status(.denied))
        manager.stopUpdating()
        manager.startUpdating()
        transport.deliver(.disconnected(.gone))
        #expect(manager.isUpdating)
        transport.advance(bySeconds: 10)
        #expect(!manager.isUpdating)
        #expect(transport.interest.isEmpty)
    }

    @Test func aDenialThatStopsUpdatingIsReportedAgainAtTheNextStart() {
        let manager = makeManager(errorLimit: 1)
        manager.addObserver(Observer<AuthorizationStatus> { _ in })
        manager.startUpdating()
        transport.deliver(.connected, .status(.denied))
        #expect(!manager.isUpdating)
        manager.startUpdating()
        #expect(errors.values.count == 2)
        #expect(!manager.isUpdating)
    }

    @Test func connectionChangesAreDelivered() throws {
        let manager = makeManager()
        let notes = ValueRecorder<ConnectionState>()
        manager.addObserver(notes.observer())
        manager.startUpdating()
        transport.deliver(
            .disconnected(.gone), .disconnected(.gone), .connected, .status(.tracking), try Location.at().event)
        transport.deliver(.disconnected(.disconnected), .connected)
        #expect(notes.values == [.disconnected(.gone), .connected, .disconnected(.disconnected), .connected])
    }

    @Test func eventsAfterTheLastInterestAreIgnored() {
        let manager = makeManager()
        let client = ValueRecorder<any TransportClient>()
        manager.startUpdating()
        if let current = transport.client { client.append(current) }
        manager.stopUpdating()
        client.values.first?.receive(.disconnected(.gone))
        client.values.first?.receive(.status(.denied))
        #expect(client.values.count == 1)
        #expect(errors.values.isEmpty)
        #expect(manager.authorizationStatus == .authorizedAlways)
    }
}
