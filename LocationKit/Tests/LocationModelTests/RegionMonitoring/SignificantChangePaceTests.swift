@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import TestSupport
import Testing

/// When a monitor of significant changes needs the next fix.
@Suite struct SignificantChangePaceTests {
    @Test func whatIsReportedBeginsTheWholeDistanceAnew() throws {
        let change = try #require(SignificantChange(distance: 5000))
        var monitor = MonitorEngine(MonitorSubjects(significantChange: change))
        _ = monitor.applyFix(fix(at: 0))
        #expect(monitor.applyFix(fix(at: 300, east: 6000, speed: 20)).count == 1)
        // 5000 m at 20 m/s.
        let next = try #require(monitor.nextFix(at: .at(300)))
        #expect(abs(next.seconds(since: .at(550))) < 0.001)
    }
}
