import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// When a region needs the next fix.
@Suite struct RegionDemandTests {
    private let center: Coordinate

    init() throws { center = try Coordinate(10, 20) }

    private func monitor(radius: Double = 100, dwell: Double? = nil) throws -> MonitorEngine {
        MonitorEngine(MonitorSubjects(regions: [try .circle(center, radius: radius, dwell: dwell)]))
    }

    private func fix(_ east: Double, accuracy: Double = 10, at seconds: Double) -> Location {
        .fix(center.coordinate(atDistance: east, bearing: 90), accuracy: accuracy, at: seconds)
    }

    /// Seconds until the next fix is needed, as of the last one.
    private func pause(_ monitor: MonitorEngine, at seconds: Double) -> Double? {
        monitor.nextFix(at: BootInstant(seconds: seconds))?.seconds(since: BootInstant(seconds: seconds))
    }

    @Test func firstFixIsNeededAtOnce() throws {
        #expect(pause(try monitor(), at: 7) == 0)
        #expect(MonitorEngine(MonitorSubjects()).nextFix(at: BootInstant(seconds: 7)) == nil)
    }

    @Test func farFromTheBorderTopSpeedDecides() throws {
        var monitor = try monitor()
        _ = monitor.applyFix(fix(30_110, at: 100))
        #expect(abs((pause(monitor, at: 100) ?? 0) - 300) < 0.01)
        _ = monitor.applyFix(fix(2109, at: 400))
        #expect(pause(monitor, at: 400) == 0)
        _ = monitor.applyFix(fix(2150, at: 500))
        #expect(abs((pause(monitor, at: 500) ?? 0) - 20.4) < 0.01)
        _ = monitor.applyFix(fix(1_000_000, at: 600))
        #expect(pause(monitor, at: 600) == 900)
        var slow = MonitorEngine(
            MonitorSubjects(regions: [try .circle(center, radius: 100)]), settings: MonitorSettings(topSpeed: 10))
        _ = slow.applyFix(fix(2110, at: 100))
        #expect(abs((pause(slow, at: 100) ?? 0) - 200) < 0.01)
    }

    @Test func deepInsideTopSpeedDecidesToo() throws {
        var monitor = try monitor(radius: 50_010)
        _ = monitor.applyFix(fix(0, at: 100))
        #expect(abs((pause(monitor, at: 100) ?? 0) - 500) < 0.01)
    }

    @Test func contradictionIsSettledAtOnce() throws {
        var monitor = try monitor(radius: 5000)
        for second in 0...100 { _ = monitor.applyFix(fix(4000, at: Double(second) * 10)) }
        #expect(pause(monitor, at: 1000) == 60)
        _ = monitor.applyFix(fix(5030, at: 1060))
        #expect(pause(monitor, at: 1060) == 0)
    }

    @Test func dwellIsAwaited() throws {
        var monitor = try monitor(radius: 20_010, dwell: 60)
        _ = monitor.applyFix(fix(0, at: 100))
        #expect(pause(monitor, at: 100) == 60)
        _ = monitor.applyFix(fix(0, at: 155))
        #expect(pause(monitor, at: 155) == 5)
        _ = monitor.applyFix(fix(0, at: 160))
        #expect(abs((pause(monitor, at: 160) ?? 0) - 200) < 0.01)
    }

    @Test func regionTheCircleCoversIsAskedEverMoreSeldom() throws {
        var monitor = try monitor(radius: 50)
        // The machine moves, so that it is not for its rest.
        var (now, pauses) = (0.0, [Double]())
        while pauses.count < 8 {
            _ = monitor.applyFix(fix(now.truncatingRemainder(dividingBy: 200) < 100 ? -70 : 70, accuracy: 120, at: now))
            let pause = pause(monitor, at: now) ?? 0
            if pause > 0 { pauses.append(pause) }
            now += max(1, pause)
        }
        #expect(pauses == [20, 40, 80, 160, 320, 640, 900, 900])
        _ = monitor.applyFix(fix(45, at: now))
        #expect(pause(monitor, at: now) == 60)
    }

    @Test func machineAtRestIsAskedOnceAMinute() throws {
        var monitor = try monitor()
        var (now, fixes) = (0.0, 0)
        while now < 8 * 3600 {
            // Within what the accuracy leaves open.
            _ = monitor.applyFix(fix(fixes % 2 == 0 ? 0 : 15, at: now))
            (now, fixes) = (now + max(1, pause(monitor, at: now) ?? 0), fixes + 1)
        }
        #expect(pause(monitor, at: now - 60) == 60)
        // For 80 s it is watched, then ever more seldom.
        #expect((560...580).contains(fixes))
        // It leaves as soon as the receiver sleeps: a minute later that is seen.
        let start = now - 60
        var told: [MonitorEvent] = []
        while told.isEmpty, now < start + 600 {
            told = monitor.applyFix(fix(30 * (now - start), at: now))
            now += max(1, pause(monitor, at: now) ?? 0)
        }
        #expect(now <= start + 62)
    }

    /// Of a machine on the move nothing is told later than if the receiver were always on.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func sleepingReceiverLosesNothing(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let radius = Double.random(in: 100...5000, using: &random)
        let request = MonitorSubjects(regions: [try .circle(center, radius: radius)])
        var (wakeful, sleeping) = (MonitorEngine(request), MonitorEngine(request))
        func anywhere() -> (x: Double, y: Double) {
            (.random(in: -40_000...40_000, using: &random), .random(in: -40_000...40_000, using: &random))
        }
        var (place, goal, speed, fixes) = (anywhere(), (x: 0.0, y: 0.0), 50.0, 0)
        for second in 0..<3000 {
            let way = hypot(goal.x - place.x, goal.y - place.y)
            if way <= speed {
                goal = hypot(goal.x, goal.y) < 1 ? anywhere() : (0, 0)
                speed = .random(in: 25...99, using: &random)
            } else {
                place.x += (goal.x - place.x) * speed / way
                place.y += (goal.y - place.y) * speed / way
            }
            let there = center.coordinate(
                atDistance: hypot(place.x, place.y), bearing: atan2(place.x, place.y) * 180 / .pi)
            let now = Double(second)
            let fix = Location.fix(there, accuracy: 15, at: now)
            let told = wakeful.applyFix(fix)
            if let pause = pause(sleeping, at: now), pause <= 0 {
                #expect(sleeping.applyFix(fix) == told, "second \(second)")
                fixes += 1
            } else {
                #expect(told == [], "second \(second)")
            }
        }
        #expect(fixes < 2000)
        #expect(wakeful.reports == sleeping.reports)
    }

    @Test func monthOfDrivingLeavesNoMoreThanADay() throws {
        let corners = (0..<100).map { corner in
            center.coordinate(atDistance: 3000 + Double(corner % 7) * 100, bearing: Double(corner) * 3.6)
        }
        let ring = try Region(identifier: "ring", shape: .polygon(RegionPolygon(corners: corners)), dwell: 300)
        let regions = [try Region.circle(center, radius: 2000, dwell: 60), ring]
        var monitor = MonitorEngine(MonitorSubjects(regions: regions))
        var (now, events, sizes, lines) = (0.0, 0, [Int](), [Int]())
        // Out and in again, 24 times a day.
        while now < 30 * 86_400 {
            events += monitor.applyFix(fix(10_000 * abs(sin(now / 3600 * .pi)), at: now)).count
            now += max(100, pause(monitor, at: now) ?? 0)
            if Int(now / 86_400) > sizes.count {
                var text = ""
                dump(monitor, to: &text)
                lines.append(text.utf8.count { $0 == UInt8(ascii: "\n") })
                sizes.append(try JSONEncoder().encode(monitor.memory).count)
            }
        }
        #expect(events > 24 * 30 * 4)
        // Numbers have more or fewer digits.
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) < 200)
        #expect((lines.max() ?? 0) - (lines.min() ?? 0) < 20)
        #expect(sizes.count == 30)
    }
}
