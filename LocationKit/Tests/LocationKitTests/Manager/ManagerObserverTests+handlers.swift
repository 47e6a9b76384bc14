import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

extension ManagerObserverTests {
    @Test func aValueOnItsWayToAQueueIsNotDeliveredAfterRemoval() throws {
        let (notes, place) = (ValueRecorder<Location>(), WaitingPlace())
        let observer = notes.observer(on: place.delivery)
        manager.addObserver(observer)
        manager.startUpdating()
        transport.deliver(.connected, try Location.at().event)
        #expect(place.count == 1)
        manager.removeObserver(observer)
        place.runAll()
        #expect(notes.values.isEmpty)
    }

    @Test func aSlowObserverFindsTheNewest256InOrder() throws {
        let (notes, place) = (ValueRecorder<Location>(), WaitingPlace())
        manager.addObserver(notes.observer(on: place.delivery))
        manager.startUpdating()
        let locations = try (0..<300).map { try Location.at(metres: Double($0)) }
        for location in locations { transport.deliver(location.event) }
        #expect(place.count == 256)
        place.runAll()
        #expect(notes.values == Array(locations.suffix(256)))
        transport.deliver(locations[0].event)
        place.runAll()
        #expect(notes.values.last == locations[0])
    }

    @Test func theConfigurationSaysWhereHandlersRun() throws {
        let (notes, place) = (ValueRecorder<Location>(), WaitingPlace())
        let manager = LocationManager(LocationConfiguration(delivery: place.delivery), transport: transport)
        manager.addObserver(notes.observer())
        manager.addObserver(notes.observer(on: .immediate))
        manager.startUpdating()
        transport.deliver(try Location.at().event)
        #expect(notes.values.count == 1)
        place.runAll()
        #expect(notes.values.count == 2)
    }

    @Test func aHandlerMayRemoveItselfAndOthers() throws {
        let notes = ValueRecorder<String>()
        let others = Mutex<[Observer<Location>]>([])
        let first = Observer<Location> { [manager] _ in
            notes.append("first")
            for observer in others.withLock({ $0 }) { manager.removeObserver(observer) }
        }
        let second = Observer<Location> { _ in notes.append("second") }
        others.withLock { $0 = [first, second] }
        manager.addObserver(first)
        manager.addObserver(second)
        manager.startUpdating()
        transport.deliver(.connected, try Location.at().event)
        transport.deliver(try Location.at(metres: 1).event)
        #expect(notes.values == ["first"])
        #expect(!manager.isUpdating)
        others.withLock { $0 = [] }
    }

    @Test func eventsCausedByAHandlerAreDeliveredAfterItHasReturned() throws {
        let notes = ValueRecorder<String>()
        let next = try Location.at(metres: 5).event
        let loop = Observer<Location> { [transport] location in
            notes.append("begin")
            if location.coordinate.latitude == 0 { transport.deliver(next) }
            notes.append("end")
        }
        manager.addObserver(loop)
        manager.startUpdating()
        transport.deliver(.connected, try Location.at().event)
        #expect(notes.values == ["begin", "end", "begin", "end"])
    }

    @Test func aRemovedObserverIsReleasedAndMayUseTheManager() {
        final class Witness: Sendable {
            let onEnd: @Sendable () -> Void
            init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let notes = ValueRecorder<Bool>()
        func add() {
            let witness = Witness { [manager] in
                manager.removeObservers()
                notes.append(manager.isUpdating)
            }
            manager.addObserver(Observer<Location> { _ in withExtendedLifetime(witness) {} })
        }
        add()
        manager.startUpdating()
        #expect(notes.values.isEmpty)
        manager.removeObservers()
        #expect(notes.values == [false])
    }
}
