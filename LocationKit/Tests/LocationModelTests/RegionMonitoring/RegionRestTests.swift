@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// How long a machine rests or stays, as far as its fixes say.
@Suite struct RegionRestTests {
    private let center: Coordinate

    init() throws { center = try Coordinate(10, 20) }

    private func fix(_ east: Double, at seconds: Double) -> Location {
        .fix(center.coordinate(atDistance: east, bearing: 90), at: seconds)
    }

    private func monitor(radius: Double, dwell: Double? = nil) throws -> MonitorEngine {
        MonitorEngine(MonitorSubjects(regions: [try .circle(center, radius: radius, dwell: dwell)]))
    }

    /// Between two fixes it moves no more than a resting one seems to; from the first to the last it moves far.
    @Test func walkerIsNotAtRest() throws {
        var monitor = try monitor(radius: 5000)
        for step in 0...100 { _ = monitor.applyFix(fix(3000 + 15 * Double(step), at: 10 * Double(step))) }
        #expect(monitor.nextFix(at: .at(1000)) == .at(1000), "the receiver stays on near the border")
    }

    /// Nobody knows where the machine was meanwhile.
    @Test func stayBeginsAnewAfterATimeWithoutFixes() throws {
        var monitor = try monitor(radius: 200, dwell: 60)
        func events(at seconds: Double) -> [RegionEvent?] {
            monitor.applyFix(fix(0, at: seconds)).map { if case .region(let report) = $0 { report.event } else { nil } }
        }
        #expect(events(at: 0) == [nil])
        monitor.suspend()
        #expect(events(at: 100) == [nil], "inside, and no dwell yet")
        #expect(events(at: 159) == [])
        #expect(events(at: 160) == [.dwelled])
    }
}
