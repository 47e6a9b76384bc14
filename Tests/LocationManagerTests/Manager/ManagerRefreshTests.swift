import LocationKit
import LocationModel
import Testing

@Suite struct ManagerRefreshTests {
    private let service = ManagerTestTransport()
    private let manager: LocationManager
    private let notes = Notes<Location>()

    init() {
        manager = LocationManager(LocationConfiguration(refreshInterval: 300), service: service)
    }

    @Test func whoObservesIsToldALocationAgainAfterTheInterval() throws {
        manager.addObserver(notes.observer())
        service.advance(bySeconds: 299)
        #expect(service.wish.isEmpty)
        service.advance(bySeconds: 1)
        #expect(service.wish.locations == LocationFilter())
        service.tell(.connected, .status(.tracking), try Location.at().event)
        #expect(notes.all == [try .at()])
        #expect(service.wish.isEmpty)
        service.advance(bySeconds: 300)
        #expect(service.wish.locations != nil)
    }

    @Test func aLocationThatComesPutsItOff() throws {
        manager.addObserver(notes.observer())
        manager.startUpdating()
        service.advance(bySeconds: 200)
        service.tell(.connected, try Location.at().event)
        service.advance(bySeconds: 200)
        #expect(service.wishes.count == 1)
        #expect(service.moment == BootInstant(seconds: 1500))
    }

    @Test func theDistanceFilterHoldsNoRefreshingBack() throws {
        manager.addObserver(notes.observer())
        manager.distanceFilter = 100
        manager.startUpdating()
        service.tell(.connected, try Location.at().event)
        service.advance(bySeconds: 300)
        #expect(service.wish.locations == LocationFilter())
        service.tell(try Location.at(metres: 1).event)
        #expect(notes.all.count == 2)
        #expect(service.wish.locations == LocationFilter(distance: 100))
    }

    @Test func itIsGivenUpAfterAWhileAndTriedAgain() {
        manager.addObserver(notes.observer())
        service.advance(bySeconds: 300)
        service.advance(bySeconds: 30)
        #expect(service.wish.isEmpty)
        #expect(service.moment == BootInstant(seconds: 1600))
        service.advance(bySeconds: 270)
        service.tell(.disconnected(.gone))
        #expect(service.wish.isEmpty)
        #expect(service.moment == BootInstant(seconds: 1900))
    }

    @Test func nobodyWatchesSoNothingIsAsked() {
        #expect(service.moment == nil)
        let observer = notes.observer()
        manager.addObserver(observer)
        #expect(service.moment != nil)
        service.advance(bySeconds: 300)
        #expect(!service.wish.isEmpty)
        manager.removeObserver(observer)
        #expect(service.wish.isEmpty)
        #expect(service.moment == nil)
    }
}
