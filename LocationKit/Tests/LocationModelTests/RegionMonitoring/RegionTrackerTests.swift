@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// The rule at the border of a circle, with fixes on a line through its center.
@Suite struct RegionTrackerTests {
    private let center: Coordinate

    init() throws { center = try Coordinate(48, 11) }

    private func tracker(
        radius: Double = 50, dwell: Double? = nil, memory: RegionState? = nil
    ) throws -> RegionTracker {
        let region = try Region.circle(center, radius: radius, dwell: dwell)
        return RegionTracker(region, memory: memory.map { RegionMemory(region: region, state: $0) })
    }

    /// A fix so many metres east of the center.
    private func fix(_ east: Double, _ accuracy: Double? = 10, at seconds: Double) -> Location {
        .fix(center.coordinate(atDistance: east, bearing: 90), accuracy: accuracy, at: seconds)
    }

    /// What each of some fixes, a second apart, has told.
    private func events(
        _ tracker: inout RegionTracker, _ easts: [Double], accuracy: Double? = 10, from start: Double = 0
    )
        -> [String]
    {
        easts.enumerated().map { index, east in
            tracker.applyFix(fix(east, accuracy, at: start + Double(index)))
                .map { "\($0.state)" + ($0.event.map { " \($0)" } ?? "") }.joined(separator: ", ")
        }
    }

    @Test func twoFixesInARowEnter() throws {
        var tracker = try tracker()
        #expect(events(&tracker, [500, 39, 38, 0]) == ["outside", "", "inside entered", ""])
    }

    @Test func firstDecisionIsNoEvent() throws {
        var tracker = try tracker()
        #expect(events(&tracker, [10, 0]) == ["", "inside"])
    }

    @Test func circleOnTheBorderChangesNothing() throws {
        var tracker = try tracker()
        #expect(events(&tracker, [500] + [41, 45, 50, 59, 45, 41]) == ["outside", "", "", "", "", "", ""])
        #expect(tracker.report.state == .outside)
    }

    @Test func fixThatSaysNothingBreaksTheRow() throws {
        var tracker = try tracker()
        #expect(events(&tracker, [500, 0, 45, 0, 0]) == ["outside", "", "", "", "inside entered"])
    }

    @Test func exitIsTwentyMetresOutside() throws {
        var tracker = try tracker(memory: .inside)
        #expect(
            events(&tracker, [0, 65, 69, 71, 72], accuracy: 3) == ["inside", "", "", "", "outside exited"])
    }

    @Test func exitIsTheAccuracyOutside() throws {
        var tracker = try tracker(memory: .inside)
        #expect(events(&tracker, [0, 89, 89, 91, 92], accuracy: 40) == ["inside", "", "", "", "outside exited"])
    }

    @Test func oneFarFixIsEnough() throws {
        var tracker = try tracker(radius: 500)
        #expect(events(&tracker, [441, 439, 561, 559]) == ["", "inside", "outside exited", ""])
        #expect(events(&tracker, [619, 560, 441, 439], from: 10) == ["", "", "", "inside entered"])
    }

    @Test func fixesCloserThanHalfASecondAreOne() throws {
        var tracker = try tracker(memory: .outside)
        #expect(tracker.applyFix(fix(0, at: 0)) == [])
        #expect(tracker.applyFix(fix(0, at: 0.499)) == [])
        #expect(tracker.applyFix(fix(0, at: 0.5)).map(\.event) == [.entered])
    }

    @Test func regionSmallerThanTheAccuracyIsNotDecided() throws {
        var tracker = try tracker()
        #expect(events(&tracker, [0, 0, 0], accuracy: 51) == ["", "", ""])
        #expect(tracker.report == RegionReport(identifier: "here", state: .unknown))
        #expect(events(&tracker, [0, 0], accuracy: 49, from: 10) == ["", "inside"])
    }

    @Test func unknownAccuracyIsAHundredMetres() throws {
        var tracker = try tracker(radius: 200)
        #expect(events(&tracker, [101, 101, 99, 99], accuracy: nil) == ["", "", "", "inside"])
        #expect(events(&tracker, [299, 299, 301, 301], accuracy: nil, from: 10) == ["", "", "", "outside exited"])
    }

    @Test func olderFixIsPassedOver() throws {
        var tracker = try tracker()
        #expect(tracker.applyFix(fix(500, at: 100)).map(\.state) == [.outside])
        #expect(tracker.applyFix(fix(0, 1, at: 99)) == [])
        #expect(tracker.applyFix(fix(0, 1, at: 99.9)) == [])
        #expect(tracker.report.location == fix(500, at: 100))
    }

    @Test func reportCarriesTheDecidingFix() throws {
        var tracker = try tracker()
        #expect(tracker.report.location == nil)
        _ = tracker.applyFix(fix(500, at: 1))
        #expect(tracker.applyFix(fix(5, at: 2)) == [])
        let deciding = fix(4, at: 3)
        let report = RegionReport(identifier: "here", state: .inside, event: .entered, location: deciding)
        #expect(tracker.applyFix(deciding) == [report])
        _ = tracker.applyFix(fix(0, at: 4))
        #expect(tracker.report.location == deciding)
        #expect(tracker.memory.location == deciding)
    }
}
