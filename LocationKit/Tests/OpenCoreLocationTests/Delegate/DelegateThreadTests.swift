import Foundation
import Glibc
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

struct DelegateThreadTests {
    @Test func aThreadThatRunsItsRunLoopIsWokenForEachLocation() async throws {
        let fake = FakeLocationManager()
        let (latitudes, isOwnThread) = try await blocking {
            let own = pthread_self()
            var isOwnThread = true
            var latitudes: [Double] = []
            let delegate = RecordingDelegate()
            delegate.reaction = { _, call in
                if pthread_equal(own, pthread_self()) == 0 { isOwnThread = false }
                if case .locations(let received) = call { latitudes += received }
                // Later, so that the loop sleeps by then and has to be woken.
                let next = Double(latitudes.count + 1)
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
                    fake.send(latitude: next, longitude: 0)
                }
            }
            let manager = makeManager(over: fake)
            manager.delegate = delegate
            manager.startUpdatingLocation()
            let end = Date() + 30
            while latitudes.count < 3, Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
            manager.stopUpdatingLocation()
            return (latitudes, isOwnThread)
        }
        #expect(latitudes == [1, 2, 3])
        #expect(isOwnThread)
    }

    @Test func aRunLoopGoesOnWhileAManagerLives() async throws {
        let (before, during, after) = try await blocking {
            func goesOn() -> Bool { RunLoop.current.run(mode: .default, before: Date() + 0.01) }
            let before = goesOn()
            var manager: CLLocationManager? = makeManager(over: FakeLocationManager())
            let during = goesOn()
            manager = nil
            return (before, during, manager == nil && goesOn())
        }
        #expect(!before)
        #expect(during)
        #expect(!after)
    }

    @Test func aThreadThatDoesNotRunItsRunLoopReceivesNothing() async throws {
        let fake = FakeLocationManager()
        let (withoutLoop, withLoop) = try await blocking {
            let delegate = RecordingDelegate()
            let manager = makeManager(over: fake)
            manager.delegate = delegate
            manager.startUpdatingLocation()
            for latitude in 1...1000 { fake.send(latitude: Double(latitude) / 100, longitude: 0) }
            let withoutLoop = delegate.calls
            let end = Date() + 30
            while delegate.calls.count < 2, Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
            return (withoutLoop.count, delegate.calls.count)
        }
        #expect(withoutLoop == 0)
        #expect(withLoop == 2)
    }

    @Test func managersMayBeUsedFromEveryThread() async throws {
        let fakes = (0..<8).map { _ in FakeLocationManager() }
        let received = try await withThrowingTaskGroup(of: Int.self) { group in
            for fake in fakes {
                group.addTask {
                    try await blocking {
                        var received = 0
                        for round in 1...25 {
                            let delegate = RecordingDelegate()
                            let manager = makeManager(over: fake)
                            manager.delegate = delegate
                            manager.startUpdatingLocation()
                            DispatchQueue.global().async { fake.send(latitude: Double(round), longitude: 0) }
                            let end = Date() + 30
                            while !delegate.calls.contains(where: { $0 == .locations([Double(round)]) }), Date() < end {
                                _ = RunLoop.current.run(mode: .default, before: end)
                            }
                            received += delegate.calls.contains(.locations([Double(round)])) ? 1 : 0
                        }
                        return received
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(received == 200)
        #expect(fakes.allSatisfy { !$0.isReceiverWanted })
    }
}
