import LocationKit
import LocationModel
import Testing

@Suite struct ManagerFilterTests {
    private let service = ManagerTestTransport()
    private let manager: LocationManager
    private let notes = Notes<Location>()

    init() {
        manager = LocationManager(LocationConfiguration(), service: service)
        manager.addObserver(notes.observer())
    }

    @Test func settingsTakeEffectAtOnce() {
        manager.startUpdating()
        manager.distanceFilter = 50
        manager.minimumInterval = 2
        manager.requiredAccuracy = 100
        #expect(service.wish.locations == LocationFilter(distance: 50, interval: 2, requiredAccuracy: 100))
        manager.distanceFilter = nil
        #expect(service.wish.locations?.distance == nil)
    }

    @Test func theDesiredAccuracyIsNoFilter() {
        manager.startUpdating()
        let count = service.wishes.count
        manager.desiredAccuracy = 10
        #expect(manager.desiredAccuracy == 10)
        #expect(service.wishes.count == count)
    }

    @Test func theActivitySelectsTheFiltersThatAreNotGiven() {
        manager.activityType = .fitness
        manager.startUpdating()
        #expect(service.wish.locations == LocationFilter(distance: 3, interval: 1))
        manager.distanceFilter = 0
        #expect(service.wish.locations == LocationFilter(distance: 0, interval: 1))
    }

    @Test(arguments: [-1, .nan, .infinity, -.infinity] as [Double])
    func aSettingThatIsNoDistanceIsNone(number: Double) {
        manager.distanceFilter = number
        manager.minimumInterval = number
        manager.requiredAccuracy = number
        manager.desiredAccuracy = number
        manager.startUpdating()
        #expect(service.wish.locations == LocationFilter())
        #expect(manager.distanceFilter == nil)
        #expect(manager.desiredAccuracy == nil)
    }

    @Test func othersRequestsDoNotWidenWhatIsTold() throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        service.tell(.connected, try Location.at(metres: 0).event)
        manager.requestLocation(timeout: 30, desiredAccuracy: 1, maximumAge: 0) { _ in }
        #expect(service.wish.locations == LocationFilter())
        for metres in [4.0, 8, 12, 16] { service.tell(try Location.at(metres: metres).event) }
        #expect(notes.all == [try .at(metres: 0), try .at(metres: 12)])
        #expect(manager.location == (try .at(metres: 12)))
        let exact = try Location.at(metres: 17, accuracy: 1)
        service.tell(exact.event)
        #expect(notes.all.count == 2)
        #expect(manager.location == exact)
        #expect(service.wish.locations == LocationFilter(distance: 10))
    }

    @Test func aLocationThatIsNotExactEnoughIsHeldBack() throws {
        manager.requiredAccuracy = 10
        manager.startUpdating()
        service.tell(try Location.at(accuracy: 11).event, try Location.at(accuracy: nil).event)
        #expect(notes.all.isEmpty)
        #expect(manager.location == nil)
        service.tell(try Location.at(accuracy: 10).event)
        #expect(notes.all.count == 1)
    }

    @Test func theFirstLocationAfterAReconnectionIsAlwaysTold() throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        service.tell(.connected, try Location.at(metres: 0).event, .disconnected(.disconnected), .connected)
        service.tell(try Location.at(metres: 5).event, try Location.at(metres: 11).event)
        #expect(notes.all == [try .at(metres: 0), try .at(metres: 5)])
    }

    @Test(arguments: [SourceState.lost, .searching, .unavailable])
    func theFirstLocationAfterAnAbsenceIsAlwaysTold(_ absence: SourceState) throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        service.tell(.connected, .status(.tracking), try Location.at(metres: 0).event)
        service.tell(.status(.with(source: absence)), .status(.tracking))
        service.tell(try Location.at(metres: 5).event, try Location.at(metres: 11).event)
        #expect(notes.all == [try .at(metres: 0), try .at(metres: 5)])
    }

    @Test func theFirstLocationAfterAStartIsAlwaysTold() throws {
        manager.distanceFilter = 10
        manager.startUpdating()
        service.tell(try Location.at(metres: 0).event)
        manager.stopUpdating()
        manager.startUpdating()
        service.tell(try Location.at(metres: 1).event)
        #expect(notes.all.count == 2)
    }
}
