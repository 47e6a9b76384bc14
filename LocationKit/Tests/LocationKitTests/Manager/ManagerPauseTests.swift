import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ManagerPauseTests {
    /// As with the daemon, a pause forgets what the distance is measured from.
    @Test func firstLocationAfterAPauseIsDeliveredHoweverNear() throws {
        let transport = ManagerTestTransport()
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        let received = ValueRecorder<Location>()
        manager.addObserver(received.observer())
        manager.distanceFilter = 1000
        manager.startUpdating()
        transport.deliver(.status(.tracking), try Location.at().event, try Location.at(metres: 10, seconds: 5001).event)
        #expect(received.count == 1, "10 m are too near")
        var paused = ServiceStatus.tracking
        paused.paused = true
        let next = try Location.at(metres: 20, seconds: 5060)
        transport.deliver(.status(paused), .status(.tracking), next.event)
        #expect(received.count == 2 && received.values.last == next)
    }
}
