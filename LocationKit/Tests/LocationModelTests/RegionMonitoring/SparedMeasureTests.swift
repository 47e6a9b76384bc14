import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// A monitor that measures a border only where something depends on it tells the same of each fix as one that measures
/// each border for each fix, and asks for the next no later, nor more than a second before.
@Suite struct SparedMeasureTests {
    /// Middles of the Earth's usual and unusual places.
    private static let places = [(52.5, 13.4), (0, 180), (-17, -180), (90, 0), (-89.9995, 40), (0, 0), (71, 179.99)]

    @Test(arguments: 0..<56 as Range<UInt64>)
    func nothingIsToldOtherwise(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let place = Self.places[Int(seed) % Self.places.count]
        let middle = try Coordinate(place.0, place.1)
        let size = pow(10, Double.random(in: 1.5...5.5, using: &random))
        let regions = try (0..<Int.random(in: 1...6, using: &random)).map { number in
            try region(number, near: middle, size: size, using: &random)
        }
        var monitor = MonitorEngine(MonitorSubjects(regions: regions))
        var plain = regions.map { PlainTracker($0) }
        var rest = StationaryTimer()
        var walk = Walk(middle: middle, size: size)
        for number in 0..<150 {
            if Int.random(in: 0..<60, using: &random) == 0 {
                monitor.suspend()
                rest = StationaryTimer()
                for index in plain.indices { plain[index].suspend() }
            }
            if Int.random(in: 0..<60, using: &random) == 0 {
                let changed = try plain.map {
                    let dwell = Bool.random(using: &random) ? nil : Double.random(in: 1...300, using: &random)
                    return try Region(identifier: $0.region.identifier, shape: $0.region.shape, dwell: dwell)
                }
                monitor.setRegions(changed)
                for index in plain.indices { plain[index].setRegion(changed[index]) }
            }
            let fix = walk.next(using: &random)
            rest.applyFix(fix, settings: MonitorSettings())
            let expected = plain.indices.flatMap { plain[$0].applyFix(fix) }
            #expect(monitor.applyFix(fix) == expected.map(MonitorEvent.region), "fix \(number) of seed \(seed)")
            let now = fix.monotonicTime.advanced(bySeconds: .random(in: 0...2, using: &random))
            let needed = try #require(plain.map { $0.nextFix(at: now, rested: rest.seconds) }.min())
            let decided = monitor.decideNextFix(at: now)
            let next = try #require(decided)
            #expect((0...1).contains(needed.seconds(since: next)), "after fix \(number) of seed \(seed)")
        }
    }

    private func region(
        _ number: Int, near middle: Coordinate, size: Double, using random: inout SeededGenerator
    ) throws -> Region {
        let center = middle.coordinate(
            atDistance: size * .random(in: 0...3, using: &random), bearing: .random(in: 0..<360, using: &random))
        let shape: RegionShape
        if Int.random(in: 0..<3, using: &random) == 0 {
            shape = .circle(try RegionCircle(center: center, radius: size * .random(in: 0.1...3, using: &random)))
        } else {
            // Sides may cross.
            let count = Int.random(in: 3...40, using: &random)
            let jitter = Double.random(in: 0...1.5, using: &random)
            let corners = (0..<count).map { corner in
                center.coordinate(
                    atDistance: size * .random(in: 0.3...1, using: &random),
                    bearing: (Double(corner) + .random(in: 0...jitter, using: &random)) * 360 / Double(count))
            }
            shape = .polygon(try RegionPolygon(corners: corners))
        }
        return try Region(
            identifier: "region \(number)", shape: shape,
            dwell: Bool.random(using: &random) ? .random(in: 1...300, using: &random) : nil)
    }

    /// A machine that rests, moves slowly or fast and jumps, and a receiver whose accuracy changes, whose times repeat
    /// and now and then go back.
    private struct Walk {
        let middle: Coordinate
        let size: Double
        private var (x, y, bearing, speed) = (0.0, 0.0, 0.0, 0.0)
        private var seconds = 1000.0
        private var accuracy: Double? = 5
        private var sequence: Int64 = 0

        init(middle: Coordinate, size: Double) { (self.middle, self.size) = (middle, size) }

        mutating func next(using random: inout SeededGenerator) -> Location {
            let step: Double = [0, 0.1, 0.1, 1, 1, 30, -5].randomElement(using: &random) ?? 1
            seconds += step
            switch Int.random(in: 0..<30, using: &random) {
            case 0:
                let reach = size * pow(10, .random(in: 0...2, using: &random))
                (x, y) = (.random(in: -reach...reach, using: &random), .random(in: -reach...reach, using: &random))
            case 1...3: speed = [0, 1, size / 100, size / 10].randomElement(using: &random) ?? 0
            case 4...6: bearing = .random(in: 0..<(2 * .pi), using: &random)
            case 7: accuracy = ([nil, -1, 0, 3, 20, 150, size] as [Double?]).randomElement(using: &random) ?? nil
            default: break
            }
            (x, y) = (x + speed * max(0, step) * sin(bearing), y + speed * max(0, step) * cos(bearing))
            let noise = 3 * Double.random(in: -1...1, using: &random)
            var fix = Location.fix(
                middle.coordinate(atDistance: hypot(x + noise, y), bearing: atan2(x + noise, y) * 180 / .pi),
                accuracy: accuracy, at: seconds)
            sequence += 1
            fix.sequence = sequence
            return fix
        }
    }
}
