import ClientTestSupport
import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

/// The manager under several threads at once; meant for the thread sanitizer as much as for its assertions.
@Suite struct ManagerThreadsTests {
    private let transport = ManagerTestTransport()

    @Test func locationsKeepTheirOrderWhileOthersUseTheManager() async throws {
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        let notes = ValueRecorder<Location>()
        manager.addObserver(notes.observer())
        manager.startUpdating()
        let locations = try (0..<500).map { try Location.at(metres: Double($0)) }
        await withTaskGroup { group in
            group.addTask { [transport] in
                for location in locations { transport.deliver(location.event) }
            }
            for _ in 0..<3 {
                group.addTask {
                    for number in 0..<200 {
                        manager.distanceFilter = number.isMultiple(of: 2) ? 0 : nil
                        let observer = Observer<Location> { _ in }
                        manager.addObserver(observer)
                        _ = manager.location
                        manager.removeObserver(observer)
                    }
                }
            }
        }
        #expect(notes.values.map(\.coordinate.latitude) == notes.values.map(\.coordinate.latitude).sorted())
        #expect(!notes.values.isEmpty)
        manager.stopUpdating()
        #expect(transport.interest.isEmpty)
    }

    @Test func aHandlerThatIsBusyHoldsUpNoOtherThreadsCalls() async throws {
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let notes = ValueRecorder<String>()
        manager.addObserver(
            Observer<Location> { _ in
                entered.signal()
                leave.wait()
                notes.append("location")
            })
        manager.addObserver(Observer<ConnectionState> { _ in notes.append("connection") })
        manager.startUpdating()
        let event = try Location.at().event
        let finished = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [transport] in
            transport.deliver(.connected, event)
            finished.signal()
        }
        await Task.detached { Self.wait(entered) }.value
        transport.deliver(.disconnected(.disconnected))
        #expect(notes.values == ["connection"])
        leave.signal()
        await Task.detached { Self.wait(finished) }.value
        #expect(notes.values == ["connection", "location", "connection"])
    }

    @Test func requestsAndTheirCancellationsRaceSafely() async throws {
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        let location = try Location.at()
        let isOver = Flag()
        let telling = Task.detached { [transport] in
            while !isOver.isSet {
                transport.deliver(location.event)
                await Task.yield()
            }
        }
        let answered = await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let task = Task { try await manager.requestLocation(timeout: .infinity) }
                    if number.isMultiple(of: 2) { task.cancel() }
                    switch await task.result {
                    case .success(let answer): return answer == location
                    case .failure(let error): return error as? LocationError == .cancelled
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        isOver.set()
        await telling.value
        #expect(answered == 100)
        #expect(transport.interest.isEmpty)
    }

    @Test func managersComeAndGoWhileTheServiceDelivers() async throws {
        let location = try Location.at()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 { await Self.comeAndGo(location) }
                }
            }
        }
    }

    private static func comeAndGo(_ location: Location) async {
        let transport = ManagerTestTransport()
        let notes = ValueRecorder<Location>()
        let telling: Task<Void, Never>
        do {
            let manager = LocationManager(LocationConfiguration(), transport: transport)
            manager.addObserver(notes.observer())
            manager.startUpdating()
            telling = Task.detached { transport.deliver(.connected, location.event) }
            await Task.yield()
            withExtendedLifetime(manager) {}
        }
        await telling.value
        #expect(notes.values.count <= 1)
        #expect(transport.interest.isEmpty)
        #expect(!transport.isClientAlive)
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .relaxed) }

        func set() { value.store(true, ordering: .relaxed) }
    }

    private static func wait(_ semaphore: DispatchSemaphore) {
        semaphore.wait()
    }
}
