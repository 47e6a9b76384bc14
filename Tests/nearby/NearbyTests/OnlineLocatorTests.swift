import AccessPoints
@_spi(Programs) import LocationInterface
import LocationModel
import Logging
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd_nearby

/// Who asks a service on the network, and when: the service is a real one of HTTP, on this machine.
@Suite struct OnlineLocatorTests {
    private let folder: TemporaryFolder
    private let service: HTTPStub
    private let settings: GeolocateSettings
    private let memory: PlaceMemory
    private let locator: OnlineLocator
    /// A moment that lasts, however slow the machine is.
    private let clock = ServiceClock(
        now: { BootInstant(seconds: 1000) }, utc: { UTCTime(seconds: 1_800_000_000) },
        sleep: ServiceClock.machine.sleep)

    init() throws {
        folder = try TemporaryFolder()
        service = try HTTPStub()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try NearbyStore(
            at: folder("places.sqlite"), key: AddressKey(bytes: [UInt8](repeating: 7, count: 32)))
        memory = try PlaceMemory(store, clock: clock, logger: logger)
        var settings = GeolocateSettings()
        (settings.url, settings.contact, settings.key) = (service.url, "admin@example.org", "secret")
        // One that is over only where the test is about it.
        settings.timeout = 300
        self.settings = settings
        locator = try #require(try OnlineLocator(settings, memory, clock: clock, logger: logger))
    }

    private func receive(_ devices: Int...) async {
        await memory.observe(
            AccessPointObservation(time: clock.now(), accessPoints: devices.map { received($0) }))
    }

    enum Trouble: CaseIterable {
        case silent, brokenOff, reset, garbage

        var deed: HTTPStub.Deed {
            switch self {
            case .silent: { $0.wait() }
            case .brokenOff:
                {
                    $0.write(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"location\"")
                    $0.close()
                }
            case .reset: { $0.reset() }
            case .garbage: { $0.answer("no JSON") }
            }
        }

        var reason: Regex<Substring> {
            switch self {
            case .silent: #/no answer within 1 s/#
            case .brokenOff, .reset: #/.+/#
            case .garbage: #/the answer is none of .+/#
            }
        }
    }

    /// Nothing is learned, the reason is told, and the next request waits.
    @Test(arguments: Trouble.allCases) func serviceInTroubleStatesNoPlace(trouble: Trouble) async throws {
        service.always(trouble.deed)
        var settings = settings
        settings.timeout = trouble == .silent ? 1 : 300
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let locator = try #require(try OnlineLocator(settings, memory, clock: clock, logger: logger))
        await receive(1, 2)
        memory.demand.change { $0.calls = 1 }
        let run = Task { await locator.run() }
        try await eventually("the reason is told") { await locator.state.reason != nil }
        let state = await locator.state
        #expect(state.reason?.wholeMatch(of: trouble.reason) != nil, "\(state)")
        #expect(state.requests == 1 && state.answers == 0 && service.requests.count == 1)
        guard case .failure = await memory.answer() else {
            Issue.record("a place is known")
            return
        }
        run.cancel()
        await run.value
    }

    /// Runs the locator until `body` has returned.
    private func running(_ body: () async throws -> Void) async rethrows {
        let run = Task { await locator.run() }
        defer { run.cancel() }
        try await body()
    }

    @Test func unknownPlaceIsAskedForOnceAndRememberedThen() async throws {
        service.always { $0.answer(#"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 60}"#) }
        await receive(1, 2)
        memory.demand.change { $0.calls = 1 }
        await running {
            while true {
                let version = memory.news.current.version
                if case .success = await memory.answer() { return }
                _ = await memory.news.change(after: version)
            }
        }
        let request = try #require(service.requests.first)
        #expect(request.hasPrefix("POST /v1/geolocate?key=secret HTTP/1.1\r\n"))
        #expect(request.contains("admin@example.org)\r\n") && request.contains("00:1a:00:00:01:00"))
        #expect(!request.contains("home"), "no name of a network")
        let answer = try await memory.answer().get()
        #expect(try answer.estimate.coordinate.distance(to: #require(Coordinate(latitude: 52.5, longitude: 13.4))) < 1)
        #expect(answer.estimate.accuracy >= 60, "two of one statement know it no better than one")
        let state = await locator.state
        #expect(state.url == service.url && state.requests == 1 && state.answers == 1 && state.reason == nil)
    }

    @Test func nobodyIsAskedWithoutDemandOrByOneAccessPoint() async throws {
        service.always { $0.answer("{}", status: "404 Not Found") }
        await receive(1, 2)
        await running {
            // Without demand: each of these wakes the locator.
            for _ in 0..<10 {
                await receive(3, 4)
                await Task.yield()
            }
            // Who states where this is wants no answer of others.
            memory.demand.change { $0.statements = 1 }
            for _ in 0..<10 {
                await receive(3, 4)
                await Task.yield()
            }
            // One says nothing for sure.
            await receive(5)
            memory.demand.change { $0.calls = 1 }
            for _ in 0..<10 {
                await receive(5)
                await Task.yield()
            }
            await receive(1, 2)
            await service.came(1)
        }
        #expect(service.requests.count == 1 && service.requests[0].contains("00:1a:00:00:02:00"))
        let reason = await locator.state.reason
        // The answer may come before the end, after it, or not: the end cancels what is under way.
        #expect([nil, "it does not know the access points either", "the program ends"].contains(reason))
    }
}
