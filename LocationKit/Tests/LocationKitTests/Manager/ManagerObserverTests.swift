import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

@Suite struct ManagerObserverTests {
    let transport = ManagerTestTransport()
    let manager: LocationManager

    init() {
        manager = LocationManager(LocationConfiguration(purpose: "a test"), transport: transport)
    }

    @Test func observersRequestNothingByThemselves() {
        manager.addObserver(Observer<Location> { _ in })
        manager.addObserver(Observer<Heading> { _ in })
        manager.addObserver(Observer<LocationError> { _ in })
        manager.addObserver(Observer<ConnectionState> { _ in })
        #expect(transport.interests.isEmpty)
    }

    @Test func updatingRequestsLocationsUntilTheLastObserverIsRemoved() throws {
        let notes = ValueRecorder<Location>()
        let (first, second) = (notes.observer(), notes.observer())
        manager.addObserver(first)
        manager.addObserver(second)
        manager.addObserver(second)
        manager.startUpdating()
        #expect(manager.isUpdating)
        #expect(transport.interest.locations?.filter == LocationFilter())
        #expect(transport.interest.locations?.purpose == "a test")
        let location = try Location.at()
        transport.deliver(.connected, .status(.tracking), location.event)
        #expect(notes.values == [location, location])
        #expect(manager.location == location)
        manager.removeObserver(first)
        #expect(manager.isUpdating)
        manager.removeObserver(second)
        #expect(!manager.isUpdating)
        #expect(transport.interest == Interest())
    }

    @Test func anObserverReceivesValuesThatOtherLoopsRequested() throws {
        let notes = ValueRecorder<Location>()
        manager.addObserver(notes.observer())
        let loop = manager.locations
        transport.deliver(.connected, try Location.at().event)
        #expect(notes.values.count == 1)
        withExtendedLifetime(loop) {}
    }

    @Test func headingsAreRequestedUntilTheLastObserverIsRemoved() {
        let notes = ValueRecorder<Heading>()
        let observer = notes.observer()
        manager.addObserver(observer)
        manager.startUpdatingHeading()
        #expect(transport.interest.headings != nil)
        #expect(transport.interest.locations == nil)
        var heading = Heading()
        heading.trueHeading = 90
        transport.deliver(.connected, .heading(heading))
        #expect(notes.values == [heading])
        #expect(manager.heading == heading)
        manager.removeObserver(observer)
        #expect(!manager.isUpdatingHeading)
        #expect(transport.interest.isEmpty)
    }

    @Test func anObserverThatRequestsUpdatesDoesSoUntilItIsRemoved() throws {
        let (asking, onlooking) = (ValueRecorder<Location>(), ValueRecorder<Location>())
        let observer = Observer<Location>(requestsUpdates: true) { asking.append($0) }
        manager.addObserver(observer)
        manager.addObserver(onlooking.observer())
        #expect(transport.interest.locations != nil)
        #expect(!manager.isUpdating)
        transport.deliver(.connected, try Location.at().event)
        #expect(asking.values.count == 1)
        #expect(onlooking.values.count == 1)
        manager.startUpdating()
        manager.removeObserver(observer)
        #expect(manager.isUpdating)
    }

    @Test func removingAnObserverThatIsNotThereEndsNothing() {
        manager.startUpdating()
        manager.startUpdatingHeading()
        manager.removeObserver(Observer<Location> { _ in })
        manager.removeObserver(Observer<Heading> { _ in })
        #expect(manager.isUpdating)
        #expect(manager.isUpdatingHeading)
    }

    @Test func removingAllObserversEndsUpdating() throws {
        let notes = ValueRecorder<Location>()
        manager.addObserver(notes.observer())
        manager.addObserver(Observer<AuthorizationStatus> { _ in })
        manager.startUpdating()
        manager.removeObservers()
        #expect(transport.interest.isEmpty)
        transport.deliver(try Location.at().event)
        #expect(notes.values.isEmpty)
    }
}
