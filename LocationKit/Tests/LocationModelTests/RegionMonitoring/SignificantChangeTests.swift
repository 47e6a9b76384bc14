@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import TestSupport
import Testing

@Suite struct SignificantChangeTests {
    private func monitor(distance: Double = 500, interval: Double? = nil) throws -> MonitorEngine {
        let change = try #require(SignificantChange(distance: distance, interval: interval))
        return MonitorEngine(MonitorSubjects(significantChange: change))
    }

    @Test func firstFixIsToldAtOnce() throws {
        var monitor = try monitor()
        #expect(monitor.nextFix(at: .at(7)) == .at(7))
        let first = fix(at: 7, accuracy: nil)
        #expect(monitor.applyFix(first) == [.significantChange(first)])
        #expect(monitor.applyFix(fix(at: 8, accuracy: nil)).isEmpty)
    }

    @Test(arguments: [(509.0, 10.0, false), (511, 10, true), (599, nil, false), (601, nil, true), (5100, 4700, false)])
    func distanceCountsBeyondTheAccuracy(distance: Double, accuracy: Double?, isTold: Bool) throws {
        var monitor = try monitor()
        _ = monitor.applyFix(fix(at: 0))
        #expect(monitor.applyFix(fix(at: 100, east: distance, accuracy: accuracy)).isEmpty != isTold)
    }

    @Test func betterFixCorrectsAPoorOne() throws {
        var monitor = try monitor()
        _ = monitor.applyFix(fix(at: 0, accuracy: 3000))
        #expect(monitor.applyFix(fix(at: 60, east: 800)).count == 1)
    }

    @Test func intervalIsToldHoweverLittleItMoved() throws {
        var monitor = try monitor(interval: 600)
        _ = monitor.applyFix(fix(at: 0))
        _ = monitor.applyFix(fix(at: 550))
        #expect(monitor.nextFix(at: .at(550)) == .at(600))
        #expect(monitor.applyFix(fix(at: 599)).isEmpty)
        #expect(monitor.applyFix(fix(at: 600)).count == 1)
    }

    @Test func waitsFollowTheSpeedAndTheWayLeft() throws {
        var monitor = try monitor(distance: 3000)
        _ = monitor.applyFix(fix(at: 0))
        #expect(monitor.nextFix(at: .at(0)) == .at(60))
        _ = monitor.applyFix(fix(at: 60, east: 600, speed: 10))
        let next = try #require(monitor.nextFix(at: .at(60)))
        #expect(abs(next.seconds(since: .at(300))) < 0.001)
        _ = monitor.applyFix(fix(at: 300, east: 2990, speed: 30))
        #expect(monitor.nextFix(at: .at(300)) == .at(360))
    }

    @Test func waitsDoubleWhileItStands() throws {
        var monitor = try monitor()
        var (time, waits) = (0.0, [Double]())
        for _ in 0..<6 {
            _ = monitor.applyFix(fix(at: time, speed: 0.1))
            let next = try #require(monitor.nextFix(at: .at(time))).seconds(since: .at(0))
            waits.append(next - time)
            time = next
        }
        #expect(waits == [60, 120, 240, 480, 900, 900])
        _ = monitor.applyFix(fix(at: time, east: 150))
        let next = try #require(monitor.nextFix(at: .at(time)))
        #expect(next <= .at(time + 300))
    }

    @Test func longWaysAreLeftAlone() throws {
        var monitor = try monitor(distance: 900_000)
        _ = monitor.applyFix(fix(at: 0))
        _ = monitor.applyFix(fix(at: 60, east: 1000, speed: 17))
        let next = try #require(monitor.nextFix(at: .at(60)))
        #expect(next > .at(60 + 8900))
    }

    /// Over random days, with noise: whatever is told is true, and nothing far is left out for long.
    @Test(arguments: [false, true], 0..<25)
    func toldLocationsAreSurelyFarApart(onDemand: Bool, seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let day = Itinerary.randomDay(using: &generator)
        let distance = Double.random(in: 200...3000, using: &generator)
        // A Gaussian's tail, ten thousand times drawn, goes to twice its 95 %.
        let accuracy = Double.random(in: 3...30, using: &generator)
        var receiver = NoisyReceiver(day, accuracy: accuracy, seed: UInt64(seed))
        receiver.tellsSpeed = Bool.random(using: &generator)
        var monitor = try monitor(distance: distance)
        var watch = Watchkeeping()
        if onDemand {
            watch.run(onDemand: &monitor, &receiver)
        } else {
            watch.run(&monitor, &receiver, every: 5)
        }
        var leg = 0
        let truths = watch.changes.map { change in
            let time = change.monotonicTime.seconds(since: .at(0))
            let at = day.leg(at: time, from: &leg)
            return at.from.coordinate(atDistance: (time - at.begin) * at.speed, bearing: at.bearing)
        }
        for (told, truth) in zip(watch.changes, truths.dropFirst()) {
            #expect(told.coordinate.distance(to: truth) >= distance - 1.5 * accuracy)
        }
        // The day's end is a stay, and what was told last is near it.
        let last = try #require(watch.changes.last)
        let home = try #require(day.legs.last).from
        #expect(last.coordinate.distance(to: home) <= distance + 3 * accuracy)
        if onDemand { #expect(watch.onTime < day.end / 5) }
    }
}
