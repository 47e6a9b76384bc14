import ClientTestSupport
import LocationKit
import LocationModel
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

    @Test func eachFailureToConnectIsReported() {
        let manager = makeManager()
        manager.startUpdating()
        transport.deliver(.disconnected(.gone), .disconnected(.gone), .connected, .disconnected(.disconnected))
        #expect(errors.values == [.gone, .gone, .disconnected])
        #expect(manager.isUpdating)
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
        transport.deliver(.disconnected(.gone), .disconnected(.gone), .connected, try Location.at().event)
        transport.deliver(.disconnected(.disconnected), .disconnected(.gone))
        #expect(manager.isUpdating)
        transport.deliver(.disconnected(.gone))
        #expect(!manager.isUpdating)
        #expect(!manager.isUpdatingHeading)
        #expect(transport.interest.locations != nil)
        #expect(!transport.interest.headings)
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
        transport.deliver(.disconnected(.gone))
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
