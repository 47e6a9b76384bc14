@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// What is published, by a clock of the test's own.
@Suite struct ReportPolicyTests {
    private let start = BootInstant(seconds: 1000)

    private func policy(_ change: (inout ReportPolicy) -> Void = { _ in }) -> ReportPolicy {
        var policy = ReportPolicy()
        change(&policy)
        return policy
    }

    /// About 111 m north for each thousandth of a degree.
    private func decide(
        _ policy: ReportPolicy, after seconds: Double, north degrees: Double = 0,
        change: (inout Location) -> Void = { _ in }
    ) throws -> ReportPolicy.Decision {
        let anchor = ReportPolicy.Anchor(try fullLocation(latitude: 50), at: start)
        var location = try fullLocation(latitude: 50 + degrees)
        change(&location)
        return policy.decide(location, since: anchor, at: start.advanced(bySeconds: seconds))
    }

    @Test func firstIsPublished() throws {
        #expect(policy().decide(try fullLocation(), since: nil, at: start) == .publish(.moving))
    }

    @Test func intervalAndDistanceBothCount() throws {
        #expect(try decide(policy(), after: 5, north: 0.001) == .hold(.tooSoon))
        #expect(try decide(policy(), after: 10, north: 0.001) == .publish(.moving))
        #expect(try decide(policy(), after: 10, north: 0.0001) == .hold(.standing))
        #expect(try decide(policy { $0.distance = 0 }, after: 10) == .publish(.moving))
    }

    /// Fixes come a little early at times.
    @Test func tenthFixEndsAnIntervalOfTenSeconds() throws {
        #expect(try decide(policy(), after: 9.98, north: 0.001) == .publish(.moving))
    }

    @Test func standingDeviceIsHeardOf() throws {
        #expect(try decide(policy(), after: 299) == .hold(.standing))
        #expect(try decide(policy(), after: 300) == .publish(.heartbeat))
        #expect(try decide(policy { $0.heartbeat = nil }, after: 1e6) == .hold(.standing))
    }

    @Test func inaccurateOrUnknownIsHeldBack() throws {
        let strict = policy { $0.requiredAccuracy = 4.2 }
        #expect(try decide(strict, after: 10, north: 0.001) == .publish(.moving))
        #expect(try decide(strict, after: 10, north: 0.001) { $0.horizontalAccuracy = 4.3 } == .hold(.inaccurate))
        #expect(try decide(strict, after: 10, north: 0.001) { $0.horizontalAccuracy = nil } == .hold(.inaccurate))
    }

    @Test func simulatedIsHeldBackUnlessAskedFor() throws {
        let simulate: (inout Location) -> Void = { $0.source = SourceInformation(name: "s", method: .simulated) }
        #expect(try decide(policy(), after: 10, north: 0.001, change: simulate) == .hold(.simulated))
        #expect(
            try decide(policy { $0.includesSimulated = true }, after: 10, north: 0.001, change: simulate)
                == .publish(.moving))
    }
}
