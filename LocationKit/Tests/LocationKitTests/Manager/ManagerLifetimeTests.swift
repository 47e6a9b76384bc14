import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

@Suite struct ManagerLifetimeTests {
    private let transport = ManagerTestTransport()

    private func makeManager() -> LocationManager {
        LocationManager(LocationConfiguration(), transport: transport)
    }

    @Test func releasingAManagerEndsItsUpdatingAndReleasesWhatObserversRetain() throws {
        let notes = ValueRecorder<Location>()
        weak var persisted: ValueRecorder<Int>?
        do {
            let manager = makeManager()
            let captured = ValueRecorder<Int>()
            persisted = captured
            manager.addObserver(notes.observer())
            manager.addObserver(Observer<LocationError> { _ in captured.append(1) })
            manager.startUpdating()
            manager.startUpdatingHeading()
            #expect(persisted != nil)
        }
        #expect(persisted == nil)
        #expect(transport.interest.isEmpty)
        #expect(!transport.isClientAlive)
        transport.deliver(try Location.at().event)
        #expect(notes.values.isEmpty)
    }

    @Test func aLoopOutlivesTheManager() async throws {
        var loop: AsyncStream<Location>? = makeManager().locations
        #expect(transport.interest.locations != nil)
        transport.deliver(.connected, try Location.at().event)
        let first = await loop?.first { _ in true }
        #expect(first == (try Location.at()))
        loop = nil
        #expect(transport.interest.isEmpty)
        #expect(!transport.isClientAlive)
    }

    @Test func aRequestOutlivesTheManager() throws {
        let notes = ValueRecorder<Result<Location, LocationError>>()
        makeManager().requestLocation(timeout: 30, desiredAccuracy: nil, maximumAge: 0) { notes.append($0) }
        #expect(notes.values.isEmpty)
        #expect(transport.interest.locations?.filter == LocationFilter())
        transport.deliver(.connected, .status(.tracking), try Location.at().event)
        #expect(notes.values == [.success(try Location.at())])
        #expect(transport.moment == nil)
        #expect(!transport.isClientAlive)
    }

    @Test func aDecisionThatComesAfterTheManagerStartsNothing() {
        transport.answerStatus(.success(.with(.notDetermined)))
        let notes = ValueRecorder<Result<Bool, LocationError>>()
        makeManager().requestAuthorization(for: .always, startUpdating: true) { notes.append($0) }
        transport.authorizationCalls.first?.answer(.success(.tracking), true)
        #expect(notes.values == [.success(true)])
        #expect(transport.interests.isEmpty)
    }

    @Test func theLastReferenceMayGoInAHandler() throws {
        let notes = ValueRecorder<Location>()
        var manager: LocationManager? = makeManager()
        let box = ManagerBox(manager)
        manager?.addObserver(
            Observer<Location> { location in
                notes.append(location)
                box.empty()
            })
        manager?.startUpdating()
        manager = nil
        #expect(transport.isClientAlive)
        transport.deliver(.connected, try Location.at().event, try Location.at(metres: 9).event)
        #expect(notes.values.count == 1)
        #expect(!transport.isClientAlive)
    }

    @Test func pendingEventsAreDeliveredAfterEachCallOfTheTransport() {
        let manager = makeManager()
        let before = transport.deliveries
        _ = manager.isUpdating
        #expect(transport.deliveries == before)
        manager.startUpdating()
        #expect(transport.deliveries == before + 1)
        manager.startUpdating()
        #expect(transport.deliveries == before + 1)
    }

    @Test func anAnswerDuringDeliveryIsReceived() throws {
        let manager = makeManager()
        let location = try Location.at()
        transport.onDelivery { [transport] in transport.deliver(.connected, location.event) }
        manager.startUpdating()
        #expect(manager.location == location)
    }
}

/// Retains a manager until it is emptied.
private final class ManagerBox: Sendable {
    private let content: Mutex<LocationManager?>

    init(_ manager: LocationManager?) {
        content = Mutex(manager)
    }

    func empty() {
        let last = content.withLock { content in
            defer { content = nil }
            return content
        }
        withExtendedLifetime(last) {}
    }
}
