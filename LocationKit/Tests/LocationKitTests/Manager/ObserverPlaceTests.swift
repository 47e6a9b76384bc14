import Dispatch
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import Testing

@Suite struct ObserverPlaceTests {
    private let transport = ManagerTestTransport()
    private let manager: LocationManager
    private let count = 100

    init() {
        manager = LocationManager(LocationConfiguration(), transport: transport)
    }

    private actor Listener {
        private(set) var received: [Location] = []
        private let onLocation: @Sendable () -> Void

        init(onLocation: @escaping @Sendable () -> Void = {}) {
            self.onLocation = onLocation
        }

        func receive(_ location: Location) {
            received.append(location)
            onLocation()
        }
    }

    private func deliverAll() throws -> [Location] {
        let locations = try (0..<count).map { try Location.at(metres: Double($0)) }
        for location in locations { transport.deliver(location.event) }
        return locations
    }

    @Test func anActorReceivesValuesInOrder() async throws {
        let (bells, bell) = AsyncStream.makeStream(of: Void.self)
        let listener = Listener { bell.yield() }
        manager.addObserver(Observer(on: listener) { listener, location in listener.receive(location) })
        manager.startUpdating()
        let delivered = try deliverAll()
        var left = count
        for await _ in bells {
            left -= 1
            if left == 0 { break }
        }
        #expect(await listener.received == delivered)
    }

    @Test func anActorIsNotRetained() throws {
        weak var persisted: Listener?
        do {
            let listener = Listener()
            persisted = listener
            manager.addObserver(Observer(on: listener) { listener, location in listener.receive(location) })
        }
        manager.startUpdating()
        #expect(persisted == nil)
        _ = try deliverAll()
        #expect(manager.location != nil)
    }

    @Test func anActorsObserverReceivesNothingAfterRemoval() async throws {
        let (bells, bell) = AsyncStream.makeStream(of: Void.self)
        let listener = Listener()
        let removed = Observer<Location>(on: listener) { listener, location in listener.receive(location) }
        let held = DispatchSemaphore(value: 0)
        // The actor is busy until the observer is removed.
        let busy = Observer<Location>(on: listener) { _, _ in
            held.wait()
            bell.yield()
        }
        busy.handler(try .at())
        manager.addObserver(removed)
        manager.startUpdating()
        _ = try deliverAll()
        manager.removeObserver(removed)
        held.signal()
        for await _ in bells { break }
        #expect(await listener.received.isEmpty)
    }

    @Test func theMainActorReceivesValuesInOrder() async throws {
        let (received, ear) = AsyncStream.makeStream(of: Location.self)
        manager.addObserver(
            .main { location in
                MainActor.assertIsolated()
                ear.yield(location)
            })
        manager.startUpdating()
        let delivered = try deliverAll()
        var iterator = received.makeAsyncIterator()
        for location in delivered { #expect(await iterator.next() == location) }
    }

    @Test func aQueueReceivesValuesInOrder() async throws {
        let (received, ear) = AsyncStream.makeStream(of: Location.self)
        let queue = DispatchQueue(label: "test")
        manager.addObserver(
            Observer(on: .queue(queue)) { location in
                dispatchPrecondition(condition: .onQueue(queue))
                ear.yield(location)
            })
        manager.startUpdating()
        let delivered = try deliverAll()
        var iterator = received.makeAsyncIterator()
        for location in delivered { #expect(await iterator.next() == location) }
    }
}
