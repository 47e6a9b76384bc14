@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import CompassSource

/// The source over a private bus, with python3-dbusmock's iio-sensor-proxy.
@Suite struct CompassSourceTests {
    /// Runs the source until `body` returns.
    private func withSource(
        on bus: PrivateBus, library: String = "libsystemd.so.0",
        _ body: (CompassSource, ValueRecorder<SourceEvent>) async throws -> Void
    ) async throws {
        let source = CompassSource(address: bus.address, library: library)
        let events = ValueRecorder<SourceEvent>()
        try await withThrowingTaskGroup { group in
            group.addTask { await source.run { events.append($0) } }
            do {
                try await body(source, events)
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
        }
    }

    private static func headings(_ events: [SourceEvent]) -> [Double] {
        events.compactMap { event in
            guard case .heading(let heading, _, _) = event else { return nil }
            return heading.magneticHeading
        }
    }

    private func awaitHeading(_ degrees: Double, _ events: ValueRecorder<SourceEvent>) async throws {
        try await eventually("the heading is \(degrees)", events) { Self.headings($0).last == degrees }
    }

    private func awaitReason(_ words: String, _ events: ValueRecorder<SourceEvent>) async throws {
        try await eventually("a condition says \(words)", events) { events in
            events.contains { event in
                guard case .condition(let condition) = event else { return false }
                return condition.reason?.contains(words) == true
            }
        }
    }

    @Test func headingsFollowTheCompassWhileItIsClaimed() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 12.5) }
        #expect(try await blocking { try proxy.claims } == 0)
        try await withSource(on: bus) { _, events in
            try await awaitHeading(12.5, events)
            #expect(try await blocking { try proxy.claims } == 1)
            #expect(
                events.values.prefix(2) == [
                    .condition(.connecting(reason: nil)), .condition(.connected(reason: nil)),
                ])
            try await blocking { try proxy.turn(to: 270) }
            try await awaitHeading(270, events)
        }
        try await eventually("the compass is released") { try await blocking { try proxy.claims } == 0 }
    }

    @Test func aCompassThatRestsStaysFresh() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 45) }
        try await withSource(on: bus) { _, events in
            try await eventually("the heading comes again", events) { Self.headings($0).count >= 3 }
            #expect(Set(Self.headings(events.values)) == [45])
        }
        _ = proxy
    }

    @Test func aProxyThatIsKilledIsSaidAndItsSuccessorIsUsed() async throws {
        let bus = try await blocking { try PrivateBus() }
        let first = try await blocking { try SensorProxy(on: bus, heading: 10) }
        try await withSource(on: bus) { source, events in
            try await awaitHeading(10, events)
            try await blocking { try first.kill() }
            try await awaitReason("iio-sensor-proxy has ended", events)
            try await awaitReason("iio-sensor-proxy is not running", events)
            let second = try await blocking { try SensorProxy(on: bus, heading: 20) }
            try await awaitHeading(20, events)
            #expect(try await blocking { try second.claims } == 1)
            #expect(source.counters["failures", default: 0] >= 2)
        }
    }

    @Test func aCompassThatIsLostIsSaidAndFoundAgain() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 10) }
        try await withSource(on: bus) { _, events in
            try await awaitHeading(10, events)
            try await blocking { try proxy.setPresence(false) }
            try await awaitReason("has found no compass", events)
            try await blocking {
                try proxy.setPresence(true)
                try proxy.turn(to: 30)
            }
            try await awaitHeading(30, events)
        }
    }

    @Test func machineWithoutCompassBecomesUnavailable() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, hasCompass: false) }
        try await withSource(on: bus) { _, events in
            try await eventually("the source is unavailable", events) { events in
                events.contains {
                    guard case .condition(.unavailable(let reason)) = $0 else { return false }
                    return reason.contains("has found no compass")
                }
            }
            #expect(Self.headings(events.values).isEmpty)
        }
        _ = proxy
    }

    @Test func aRefusalByTheBusSaysWhatToDo() async throws {
        let rule = """
            <policy context="mandatory">
              <deny send_destination="net.hadess.SensorProxy" send_interface="net.hadess.SensorProxy.Compass"/>
            </policy>
            """
        let bus = try await blocking { try PrivateBus(rules: rule) }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 10) }
        try await withSource(on: bus) { _, events in
            try await awaitReason("does not give this user the compass; see", events)
        }
        _ = proxy
    }

    @Test func aProxyThatHangsIsSaid() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 10) }
        try await withSource(on: bus) { _, events in
            try await awaitHeading(10, events)
            proxy.freeze()
            try await awaitReason("does not answer", events)
            proxy.resume()
            try await eventually("headings come again", events) { events in
                guard
                    let failure = events.lastIndex(where: {
                        if case .condition(let condition) = $0 { condition.reason != nil } else { false }
                    })
                else { return false }
                return !Self.headings(Array(events[failure...])).isEmpty
            }
        }
    }

    @Test func aBusThatEndsIsSaid() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 10) }
        try await withSource(on: bus) { _, events in
            try await awaitHeading(10, events)
            try await blocking { try bus.kill() }
            try await awaitReason("the system bus cannot be used", events)
        }
        _ = proxy
    }

    @Test func aSpinningCompassIsCoalescedCountedAndSaid() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 0) }
        try await withSource(on: bus) { source, events in
            try await awaitHeading(0, events)
            let start = ContinuousClock.now
            let before = events.count
            try await blocking { try proxy.spin(20_000, endingAt: 123) }
            try await awaitHeading(123, events)
            let seconds = start.duration(to: .now) / .seconds(1)
            let delivered = Self.headings(Array(events.values.dropFirst(before))).count
            #expect(Double(delivered) <= NewestRate<Heading>.limit * seconds + 2, "in \(seconds) s")
            #expect(source.counters["coalesced", default: 0] >= 20_000 - delivered - 2)
            #expect(source.counters["floods", default: 0] >= 1)
            let anomalies = events.values.filter {
                if case .anomaly("floods", _, _) = $0 { true } else { false }
            }
            #expect(anomalies.count == 1)
        }
    }

    @Test func otherProgramsCannotTurnIt() async throws {
        let bus = try await blocking { try PrivateBus() }
        let proxy = try await blocking { try SensorProxy(on: bus, heading: 10) }
        try await withSource(on: bus) { source, events in
            try await awaitHeading(10, events)
            try await blocking { try proxy.forge(99) }
            try await eventually("the forgery is counted") { source.counters["foreign"] == 1 }
            try await blocking { try proxy.sendNonsense() }
            try await eventually("the nonsense is counted") { source.counters["malformed"] == 1 }
            try await blocking { try proxy.turn(to: 20) }
            try await awaitHeading(20, events)
            #expect(!Self.headings(events.values).contains(99))
        }
    }

    @Test func missingLibraryIsSaid() async throws {
        let bus = try await blocking { try PrivateBus() }
        try await withSource(on: bus, library: "libabsent.so.0") { _, events in
            try await awaitReason("install libsystemd0", events)
        }
    }
}
