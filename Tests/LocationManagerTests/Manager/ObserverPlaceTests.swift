import Dispatch
import LocationKit
import LocationModel
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
        private(set) var heard: [Location] = []
        private let onLocation: @Sendable () -> Void

        init(onLocation: @escaping @Sendable () -> Void = {}) {
            self.onLocation = onLocation
        }

        func hear(_ location: Location) {
            heard.append(location)
            onLocation()
        }
    }

    private func tellAll() throws -> [Location] {
        let locations = try (0..<count).map { try Location.at(metres: Double($0)) }
        for location in locations { transport.tell(location.event) }
        return locations
    }

    @Test func anActorIsToldInOrder() async throws {
        let (bells, bell) = AsyncStream.makeStream(of: Void.self)
        let listener = Listener { bell.yield() }
        manager.addObserver(Observer(on: listener) { listener, location in listener.hear(location) })
        manager.startUpdating()
        let told = try tellAll()
        var left = count
        for await _ in bells {
            left -= 1
            if left == 0 { break }
        }
        #expect(await listener.heard == told)
    }

    @Test func anActorIsNotKept() throws {
        weak var persisted: Listener?
        do {
            let listener = Listener()
            persisted = listener
            manager.addObserver(Observer(on: listener) { listener, location in listener.hear(location) })
        }
        manager.startUpdating()
        #expect(persisted == nil)
        _ = try tellAll()
        #expect(manager.location != nil)
    }

    @Test func anActorsObserverIsToldNothingAfterRemoval() async throws {
        let (bells, bell) = AsyncStream.makeStream(of: Void.self)
        let listener = Listener()
        let removed = Observer<Location>(on: listener) { listener, location in listener.hear(location) }
        let held = DispatchSemaphore(value: 0)
        // The actor is busy until the observer is removed.
        let busy = Observer<Location>(on: listener) { _, _ in
            held.wait()
            bell.yield()
        }
        busy.handler(try .at())
        manager.addObserver(removed)
        manager.startUpdating()
        _ = try tellAll()
        manager.removeObserver(removed)
        held.signal()
        for await _ in bells { break }
        #expect(await listener.heard.isEmpty)
    }

    @Test func theMainActorIsToldInOrder() async throws {
        let (heard, ear) = AsyncStream.makeStream(of: Location.self)
        manager.addObserver(
            .main { location in
                MainActor.assertIsolated()
                ear.yield(location)
            })
        manager.startUpdating()
        let told = try tellAll()
        var iterator = heard.makeAsyncIterator()
        for location in told { #expect(await iterator.next() == location) }
    }

    @Test func aQueueIsToldInOrder() async throws {
        let (heard, ear) = AsyncStream.makeStream(of: Location.self)
        let queue = DispatchQueue(label: "test")
        manager.addObserver(
            Observer(on: .queue(queue)) { location in
                dispatchPrecondition(condition: .onQueue(queue))
                ear.yield(location)
            })
        manager.startUpdating()
        let told = try tellAll()
        var iterator = heard.makeAsyncIterator()
        for location in told { #expect(await iterator.next() == location) }
    }
}
