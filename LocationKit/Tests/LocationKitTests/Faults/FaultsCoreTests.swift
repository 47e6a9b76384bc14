import ClientTestSupport
import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// A manager with handlers that block, managers that are released and services that fail, without any daemon.
@Suite(.timeLimit(.minutes(10))) struct FaultsCoreTests {
    private let transport = ManagerTestTransport()

    @Test func aHandlerThatBlocksOnAnotherThreadKeepsBuffersBounded() async throws {
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let notes = ValueRecorder<Location>()
        manager.addObserver(notes.observer())
        var loop = manager.locations.makeAsyncIterator()
        transport.deliver(.connected, .status(.tracking))
        let blocked = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            manager.addObserver(
                Observer<AuthorizationStatus> { _ in
                    entered.signal()
                    leave.wait()
                })
            blocked.signal()
        }
        await Task.detached { Self.wait(entered) }.value
        for number in 1...2000 { transport.deliver(try Location.at(metres: Double(number)).event) }
        #expect(manager.location == (try Location.at(metres: 2000)))
        leave.signal()
        await Task.detached { Self.wait(blocked) }.value
        let newest = try (1745...2000).map { try Location.at(metres: Double($0)) }
        #expect(notes.values == newest)
        for location in newest { #expect(await loop.next() == location) }
    }

    @Test func aStopByTheErrorLimitForgetsTheLastPosition() throws {
        let manager = LocationManager(LocationConfiguration(errorLimit: 1), transport: transport)
        let notes = ValueRecorder<Location>()
        manager.addObserver(notes.observer())
        manager.distanceFilter = 1000
        manager.startUpdating()
        transport.deliver(.connected, .status(.tracking), try Location.at().event, .status(.denied))
        #expect(!manager.isUpdating)
        manager.startUpdating()
        transport.deliver(.connected, .status(.tracking), try Location.at(metres: 1).event)
        #expect(notes.values.count == 2)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e308, 1e-300])
    func oddNumbersTrapNothing(_ number: Double) throws {
        var configuration = LocationConfiguration(errorLimit: .min, refreshInterval: number)
        configuration.purpose = String(repeating: "\u{1F9ED}", count: 10_000)
        let manager = LocationManager(configuration, transport: transport)
        let notes = ValueRecorder<Result<Location, LocationError>>()
        manager.desiredAccuracy = number
        manager.requiredAccuracy = number
        manager.minimumInterval = number
        manager.distanceFilter = number
        manager.startUpdating()
        manager.requestLocation(timeout: number, desiredAccuracy: number, maximumAge: number) { notes.append($0) }
        var location = try Location.at(accuracy: number)
        location.monotonicTime = BootInstant(seconds: number)
        transport.deliver(.connected, .status(.tracking), .location(location, dropped: .max))
        transport.advance(bySeconds: 1e10)
        manager.stopUpdating()
        #expect(notes.values.count <= 1)
        #expect(notes.values.count == 1 || number == .infinity || !transport.interest.isEmpty)
    }

    @Test func servicesOfOneSocketComeAndGoOnManyThreads() async {
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<5000 { #expect(DaemonTransport.shared(at: "/nowhere/raced").path == "/nowhere/raced") }
                }
            }
        }
        weak let last = DaemonTransport.shared(at: "/nowhere/raced")
        #expect(last == nil)
    }

    private static func wait(_ semaphore: DispatchSemaphore) {
        semaphore.wait()
    }
}
