import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ManagerRefreshTests {
    private let transport = ManagerTestTransport()
    private let manager: LocationManager
    private let notes = ValueRecorder<Location>()

    init() {
        manager = LocationManager(LocationConfiguration(refreshInterval: 300), transport: transport)
    }

    @Test func observersReceiveALocationAgainAfterTheInterval() throws {
        manager.addObserver(notes.observer())
        transport.advance(bySeconds: 299)
        #expect(transport.interest.isEmpty)
        transport.advance(bySeconds: 1)
        #expect(transport.interest.locations?.filter == LocationFilter())
        transport.deliver(.connected, .status(.tracking), try Location.at().event)
        #expect(notes.values == [try .at()])
        #expect(transport.interest.isEmpty)
        transport.advance(bySeconds: 300)
        #expect(transport.interest.locations != nil)
    }

    @Test func aLocationThatComesPutsItOff() throws {
        manager.addObserver(notes.observer())
        manager.startUpdating()
        transport.advance(bySeconds: 200)
        transport.deliver(.connected, try Location.at().event)
        transport.advance(bySeconds: 200)
        #expect(transport.interests.count == 1)
        #expect(transport.moment == BootInstant(seconds: 1500))
    }

    @Test func theDistanceFilterHoldsNoRefreshingBack() throws {
        manager.addObserver(notes.observer())
        manager.distanceFilter = 100
        manager.startUpdating()
        transport.deliver(.connected, try Location.at().event)
        transport.advance(bySeconds: 300)
        #expect(transport.interest.locations?.filter == LocationFilter())
        transport.deliver(try Location.at(metres: 1).event)
        #expect(notes.values.count == 2)
        #expect(transport.interest.locations?.filter == LocationFilter(distance: 100))
    }

    @Test func itTimesOutAndIsRetried() {
        manager.addObserver(notes.observer())
        transport.advance(bySeconds: 300)
        transport.advance(bySeconds: 30)
        #expect(transport.interest.isEmpty)
        #expect(transport.moment == BootInstant(seconds: 1600))
        transport.advance(bySeconds: 270)
        transport.deliver(.disconnected(.gone))
        #expect(transport.interest.isEmpty)
        #expect(transport.moment == BootInstant(seconds: 1900))
    }

    @Test func withoutObserversNothingIsRefreshed() {
        #expect(transport.moment == nil)
        let observer = notes.observer()
        manager.addObserver(observer)
        #expect(transport.moment != nil)
        transport.advance(bySeconds: 300)
        #expect(!transport.interest.isEmpty)
        manager.removeObserver(observer)
        #expect(transport.interest.isEmpty)
        #expect(transport.moment == nil)
    }
}
