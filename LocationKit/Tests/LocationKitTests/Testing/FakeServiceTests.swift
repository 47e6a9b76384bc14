import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The fakes say of the service what the daemon would.
struct FakeServiceTests {
    @Test(arguments: [AccuracyAuthorization.full, .reduced])
    func onlyFullAccuracyPauses(accuracy: AccuracyAuthorization) {
        let fake = FakeLocationManager(accuracy: accuracy)
        fake.pausesAutomatically = true
        fake.startUpdating()
        fake.send(latitude: 1, longitude: 2)
        fake.becomeStationary()
        #expect(fake.isPaused == (accuracy == .full))
    }

    @Test func serviceThatIsSwitchedOnSearches() {
        let fake = FakeLocationManager()
        fake.startUpdating()
        fake.send(latitude: 1, longitude: 2)
        #expect(fake.status?.source == .tracking)
        fake.disableService()
        #expect(fake.status?.source == .stopped)
        fake.advance(by: 10)
        fake.enableService()
        #expect(fake.status?.source == .searching, "the location from before is no fix of now")
        fake.send(latitude: 1, longitude: 2)
        #expect(fake.status?.source == .tracking)
    }

    @Test func monitorHasAStatusAgainAfterAnOutage() throws {
        let center = try #require(Coordinate(latitude: 1, longitude: 2))
        let home = try Region(identifier: "home", shape: .circle(RegionCircle(center: center, radius: 100)))
        let fake = FakeLocationMonitor(regions: [home])
        let statuses = ValueRecorder<ServiceStatus>()
        fake.monitor.addObserver(Observer<ServiceStatus> { statuses.append($0) })
        fake.monitor.start()
        let before = try #require(fake.monitor.status)
        fake.disconnect()
        #expect(fake.monitor.status == nil)
        fake.reconnect()
        #expect(fake.monitor.status == before)
        #expect(statuses.values == [before, before])
    }
}
