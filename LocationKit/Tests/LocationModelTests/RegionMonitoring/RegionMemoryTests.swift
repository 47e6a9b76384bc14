import Foundation
@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// What becomes of what is known of a region over restarts and new requests.
@Suite struct RegionMemoryTests {
    private let center: Coordinate

    init() throws { center = try Coordinate(-33, 180) }

    private func fix(_ east: Double, at seconds: Double) -> Location {
        .fix(center.coordinate(atDistance: east, bearing: 90), at: seconds)
    }

    private func monitor(_ regions: [Region], memory: MonitorMemory = MonitorMemory()) -> MonitorEngine {
        MonitorEngine(MonitorSubjects(regions: regions), memory: memory)
    }

    /// What is left of a monitor on a disk.
    private func kept(_ monitor: MonitorEngine) throws -> MonitorMemory {
        try JSONDecoder().decode(MonitorMemory.self, from: JSONEncoder().encode(monitor.memory))
    }

    private func events(_ events: [MonitorEvent]) -> [RegionEvent?] {
        events.map { event in
            guard case .region(let report) = event else { return .unknown }
            return report.event
        }
    }

    @Test func rememberedStateIsUnknownUntilAFixConfirmsIt() throws {
        let region = try Region.circle(center, radius: 200)
        var first = monitor([region])
        _ = first.applyFix(fix(0, at: 100))
        #expect(first.reports.map(\.state) == [.inside])
        // The clock began anew.
        var second = monitor([region], memory: try kept(first))
        #expect(second.reports == [RegionReport(identifier: "here", state: .unknown)])
        #expect(second.applyFix(fix(200, at: 5)) == [])
        #expect(second.reports.map(\.state) == [.unknown])
        let confirming = fix(10, at: 6)
        let report = RegionReport(identifier: "here", state: .inside, location: confirming)
        #expect(second.applyFix(confirming) == [.region(report)])
        #expect(second.reports == [report])
        #expect(second.applyFix(fix(10, at: 7)) == [])
    }

    @Test func whatChangedMeanwhileIsAnEvent() throws {
        let region = try Region.circle(center, radius: 200)
        var first = monitor([region])
        _ = first.applyFix(fix(0, at: 100))
        var second = monitor([region], memory: try kept(first))
        #expect(events(second.applyFix(fix(5000, at: 5))) == [.exited])
        var third = monitor([region], memory: try kept(second))
        #expect(events(third.applyFix(fix(0, at: 2))) == [.entered])
    }

    @Test func fixFromBeforeTheDecisionDoesNotUndoIt() throws {
        let region = try Region.circle(center, radius: 200)
        var (inside, outside, next) = (fix(0, at: 100), fix(5000, at: 101), fix(5000, at: 103))
        (inside.sequence, outside.sequence, next.sequence) = (1, 2, 65_537)
        var first = monitor([region])
        _ = first.applyFix(inside)
        #expect(events(first.applyFix(outside)) == [.exited])
        var second = monitor([region], memory: try kept(first))
        #expect(events(second.applyFix(inside)) == [])
        #expect(second.applyFix(next) == [.region(RegionReport(identifier: "here", state: .outside, location: next))])
    }

    @Test func dwellIsToldOncePerStayOverRestarts() throws {
        let region = try Region.circle(center, radius: 200, dwell: 60)
        var monitor = monitor([region])
        _ = monitor.applyFix(fix(500, at: 0))
        #expect(events(monitor.applyFix(fix(0, at: 10))) == [.entered])
        #expect(events(monitor.applyFix(fix(0, at: 69.999))) == [])
        // On the border: it may have left.
        #expect(events(monitor.applyFix(fix(200, at: 70))) == [])
        #expect(events(monitor.applyFix(fix(0, at: 71))) == [.dwelled])
        #expect(events(monitor.applyFix(fix(0, at: 200))) == [])
        monitor = self.monitor([region], memory: try kept(monitor))
        #expect(events(monitor.applyFix(fix(0, at: 10))) == [nil])
        #expect(events(monitor.applyFix(fix(0, at: 1000))) == [])
        #expect(events(monitor.applyFix(fix(500, at: 1001))) == [.exited])
        #expect(events(monitor.applyFix(fix(0, at: 1002))) == [.entered])
        #expect(events(monitor.applyFix(fix(0, at: 1062))) == [.dwelled])
    }

    @Test func rememberedStayCountsFromTheConfirmingFix() throws {
        let region = try Region.circle(center, radius: 200, dwell: 60)
        var first = monitor([region])
        _ = first.applyFix(fix(0, at: 100))
        var second = monitor([region], memory: try kept(first))
        #expect(events(second.applyFix(fix(200, at: 10))) == [])
        #expect(events(second.applyFix(fix(0, at: 20))) == [nil])
        #expect(events(second.applyFix(fix(0, at: 79))) == [])
        #expect(events(second.applyFix(fix(0, at: 80))) == [.dwelled])
    }

    @Test func anotherDwellOfTheSameShapeKeepsTheStay() throws {
        var monitor = monitor([try .circle(center, radius: 20_010, dwell: 60)])
        _ = monitor.applyFix(fix(0, at: 0))
        #expect(events(monitor.applyFix(fix(0, at: 60))) == [.dwelled])
        monitor.setRegions([try .circle(center, radius: 20_010, dwell: 120)])
        #expect(monitor.reports.map(\.state) == [.inside])
        #expect(monitor.nextFix(at: BootInstant(seconds: 61)) == BootInstant(seconds: 120))
        #expect(events(monitor.applyFix(fix(0, at: 119))) == [])
        #expect(events(monitor.applyFix(fix(0, at: 120))) == [.dwelled])
        #expect(try kept(monitor).regions.map(\.region.dwell) == [120])
        // Remembered with one dwell, asked for with another.
        var later = self.monitor([try .circle(center, radius: 20_010, dwell: 10)], memory: try kept(monitor))
        #expect(events(later.applyFix(fix(0, at: 0)) + later.applyFix(fix(0, at: 10))) == [nil, .dwelled])
    }

    @Test func anotherShapeIsAnotherRegion() throws {
        var monitor = monitor([try .circle(center, radius: 200)])
        _ = monitor.applyFix(fix(0, at: 0))
        let before = try kept(monitor)
        monitor.setRegions([try .circle(center, radius: 300)])
        #expect(monitor.reports.map(\.state) == [.unknown])
        #expect(events(monitor.applyFix(fix(5000, at: 1))) == [nil])
        var later = self.monitor([try .circle(center, radius: 300)], memory: before)
        #expect(events(later.applyFix(fix(5000, at: 1))) == [nil])
    }
}
