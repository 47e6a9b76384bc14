@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

/// ``CLMonitor`` over the service that a test scripts.
@Suite(.timeLimit(.minutes(10))) struct MonitorTests {
    private static let circle = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 52, longitude: 13), radius: 100)

    private static func persisted(_ identifier: String) throws -> Region {
        let center = try #require(Coordinate(latitude: 52, longitude: 13))
        return try Region(identifier: identifier, shape: .circle(RegionCircle(center: center, radius: 100)))
    }

    private static func monitor(_ monitors: FakeMonitors, _ name: String = "walks") async -> CLMonitor {
        await LocationBackend.$current.withValue(backend(FakeLocationManager(), monitors: monitors)) {
            await CLMonitor(name)
        }
    }

    /// The next events, as many as are expected.
    private static func states(
        _ count: Int, _ events: inout CLMonitor.Events.Iterator
    ) async throws -> [CLMonitor.Event.State] {
        var states: [CLMonitor.Event.State] = []
        while states.count < count, let event = try await events.next() { states.append(event.state) }
        return states
    }

    @Test func numbersAreApples() {
        let states: [CLMonitor.Event.State] = [.unknown, .satisfied, .unsatisfied, .unmonitored]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test func eachChangeOfAStateIsAnEvent() async throws {
        let monitors = FakeMonitors()
        let monitor = await Self.monitor(monitors)
        await monitor.add(Self.circle, identifier: "home")
        #expect(await monitor.identifiers == ["home"])
        #expect(await monitor.record(for: "home")?.lastEvent.state == .unknown)
        var events = await monitor.events.makeAsyncIterator()
        for latitude in [53.0, 53, 52, 53] { monitors.send(latitude: latitude) }
        #expect(try await Self.states(3, &events) == [.unsatisfied, .satisfied, .unsatisfied])
        let record = try #require(await monitor.record(for: "home"))
        #expect(record.lastEvent.state == .unsatisfied)
        #expect(abs(record.lastEvent.date.timeIntervalSinceNow) < 600)
        #expect((record.condition as? CLMonitor.CircularGeographicCondition)?.radius == 100)
        await monitor.remove("home")
        #expect(await monitor.identifiers.isEmpty)
        #expect(await monitor.record(for: "home") == nil)
    }

    @Test func whatWasAssumedIsNoEvent() async throws {
        let monitors = FakeMonitors()
        let monitor = await Self.monitor(monitors)
        await monitor.add(Self.circle, identifier: "home", assuming: .unsatisfied)
        monitors.send(latitude: 53)
        monitors.send(latitude: 52)
        var events = await monitor.events.makeAsyncIterator()
        #expect(try await Self.states(1, &events) == [.satisfied], "what came before the loop is kept for it")
    }

    @Test func conditionsOfAnEarlierRunAreLoaded() async throws {
        let report = RegionReport(identifier: "home", state: .inside)
        let monitors = FakeMonitors(persisted: [try Self.persisted("home")], reports: [report])
        let monitor = await Self.monitor(monitors)
        #expect(await monitor.identifiers == ["home"])
        #expect(await monitor.record(for: "home")?.lastEvent.state == .satisfied)
        #expect(monitors.all.last?.name?.hasSuffix("/walks") == true)
        var events = await monitor.events.makeAsyncIterator()
        for latitude in [53.0, 52] { monitors.send(latitude: latitude) }
        #expect(try await Self.states(2, &events) == [.unsatisfied, .satisfied])
    }

    @Test func theSameConditionMayBeAddedAgain() async throws {
        let monitors = FakeMonitors(persisted: [try Self.persisted("home")])
        let monitor = await Self.monitor(monitors)
        monitors.send(latitude: 52)
        await monitor.add(Self.circle, identifier: "home", assuming: .unsatisfied)
        monitors.send(latitude: 52)
        var events = await monitor.events.makeAsyncIterator()
        #expect(try await Self.states(2, &events) == [.satisfied, .satisfied])
        #expect(await monitor.identifiers == ["home"])
    }

    @Test func anUnmonitoredConditionSaysWhy() async throws {
        let monitors = FakeMonitors(authorization: .denied)
        let monitor = await Self.monitor(monitors)
        let service = try #require(monitors.all.last)
        var events = await monitor.events.makeAsyncIterator()
        await monitor.add(Self.circle, identifier: "home")
        let denial = try #require(try await events.next())
        #expect(denial.state == .unmonitored && denial.authorizationDenied && !denial.authorizationDeniedGlobally)
        service.authorizationStatus = .authorizedAlways
        monitors.send(latitude: 52)
        #expect(try await Self.states(1, &events) == [.satisfied])
        service.disableService()
        let off = try #require(try await events.next())
        #expect(off.state == .unmonitored && off.authorizationDeniedGlobally)
        service.enableService()
        #expect(try await Self.states(1, &events) == [.satisfied])
        service.disconnect(.monitorInUse(name: "walks"))
        let taken = try #require(try await events.next())
        #expect(taken.state == .unmonitored && taken.persistenceUnavailable)
    }

    @Test func whatIsNoCircleOnTheEarthIsUnsupported() async throws {
        struct Weather: CLCondition {}
        let monitor = await Self.monitor(FakeMonitors())
        var events = await monitor.events.makeAsyncIterator()
        await monitor.add(Weather(), identifier: "rain")
        let event = try #require(try await events.next())
        #expect(event.identifier == "rain" && event.state == .unmonitored && event.conditionUnsupported)
    }

    @Test func aConnectionThatIsLostForAWhileIsNoEvent() async throws {
        let monitors = FakeMonitors()
        let monitor = await Self.monitor(monitors)
        let service = try #require(monitors.all.last)
        await monitor.add(Self.circle, identifier: "home")
        var events = await monitor.events.makeAsyncIterator()
        monitors.send(latitude: 52)
        service.disconnect()
        service.reconnect()
        for latitude in [52.0, 52, 53] { monitors.send(latitude: latitude) }
        #expect(try await Self.states(2, &events) == [.satisfied, .unsatisfied])
    }

    @Test func loopsEndWithTheMonitor() async throws {
        let monitors = FakeMonitors()
        var events: CLMonitor.Events.Iterator
        do {
            let monitor = await Self.monitor(monitors)
            await monitor.add(Self.circle, identifier: "home")
            events = await monitor.events.makeAsyncIterator()
        }
        #expect(try await events.next() == nil)
        #expect(monitors.all.last?.isMonitoringWanted == false)
    }
}
