import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ReducedAccuracyTests {
    private func fix(_ coordinate: Coordinate, at seconds: Double) throws -> Location {
        var location = try Location.full()
        location.coordinate = coordinate
        location.monotonicTime = BootInstant(seconds: seconds)
        location.horizontalAccuracy = 5
        return location
    }

    @Test func onlyTheMomentTheSourceAndThePositionAreTold() throws {
        var random = SeededGenerator(seed: 1)
        var reduced = ReducedAccuracy(using: &random)
        let location = try Location.full()
        let told = try reduced.published(location, at: BootInstant(seconds: 1000))
        var expected = Location(
            coordinate: told.coordinate, mode: .twoDimensional, monotonicTime: location.monotonicTime,
            source: location.source)
        expected.horizontalAccuracy = 3700
        expected.timestamp = location.timestamp
        expected.isTimestampImplausible = true
        expected.sequence = location.sequence
        #expect(told == expected)
        #expect(told.coordinate != location.coordinate)
    }

    @Test func withoutDisplacementItIsTheCellOfThePositionWhateverTheSecret() throws {
        var random = SeededGenerator(seed: 7)
        var plain = [ReducedAccuracy(using: &random), ReducedAccuracy(using: &random)].map(\.withoutDisplacement)
        for step in 0..<50 {
            let place = try random.position()
            let now = BootInstant(seconds: 600 * Double(step))
            let told = try plain.indices.map { try plain[$0].published(fix(place, at: now.seconds), at: now) }
            #expect(told[0] == told[1] && told[0].coordinate == AccuracyGrid().snap(place))
            #expect(told[0].coordinate.distance(to: place) <= told[0].horizontalAccuracy ?? 0)
        }
    }

    @Test func thereIsOneFixInAnInterval() throws {
        var random = SeededGenerator(seed: 2)
        var reduced = ReducedAccuracy(using: &random)
        let start = try random.position()
        var moments: [Double] = []
        for second in 0..<6000 {
            let now = BootInstant(seconds: Double(second))
            let position = start.coordinate(atDistance: 30 * Double(second), bearing: 45)
            guard let told = try reduced.applyFix(fix(position, at: Double(second)), at: now) else { continue }
            moments.append(now.seconds)
            #expect(reduced.current(at: now) == told)
        }
        #expect(moments == Array(stride(from: 0, to: 6000, by: 600)))
    }

    @Test func currentFixKeepsItsMomentUntilTheIntervalIsOver() throws {
        var random = SeededGenerator(seed: 3)
        var reduced = ReducedAccuracy(using: &random)
        #expect(reduced.current(at: BootInstant(seconds: 1000)) == nil)
        let told = try reduced.published(fix(random.position(), at: 995), at: BootInstant(seconds: 1000))
        _ = try reduced.applyFix(fix(random.position(), at: 1500), at: BootInstant(seconds: 1500))
        #expect(reduced.current(at: BootInstant(seconds: 1599.9)) == told)
        #expect(told.age(at: BootInstant(seconds: 1599.9)) == 604.9)
        #expect(reduced.current(at: BootInstant(seconds: 1600)) == nil)
    }

    @Test func clockThatJumpsNeitherHastensNorStopsTheFixes() throws {
        var random = SeededGenerator(seed: 4)
        var reduced = ReducedAccuracy(using: &random)
        func take(_ seconds: Double) throws -> Location? {
            try reduced.applyFix(fix(random.position(), at: seconds), at: BootInstant(seconds: seconds))
        }
        #expect(try take(1000) != nil)
        #expect(try take(9.2e9) != nil, "far ahead")
        #expect(try take(2000) == nil, "back again")
        #expect(try take(2599) == nil)
        #expect(try take(2600) != nil)
        for nanoseconds in [Int64.max, .min, .max, 0] {
            let now = BootInstant(nanoseconds: nanoseconds)
            if let told = reduced.applyFix(try fix(random.position(), at: 0), at: now) {
                #expect(reduced.current(at: now) == told)
            }
        }
    }

    /// Positions at most 240 m from the anchor, and whatever else a receiver says.
    @Test func nothingButTheAnswerDependsOnThePosition() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var random = SeededGenerator(seed: 6)
        for _ in 0..<300 {
            let anchor = try random.position()
            let secret = ReducedAccuracy(using: &random)
            let machines = try (0..<2).map { _ in
                var machine = secret
                let first = machine.applyFix(try fix(anchor, at: 0), at: BootInstant(seconds: 0))
                var tale: [Data?] = [try encoder.encode(first)]
                for step in 1..<8 {
                    let seconds = Double(step) * 250
                    var location = try fix(random.position(around: anchor, within: 240), at: seconds)
                    for field in Location.numbers {
                        location[keyPath: field.path] =
                            Bool.random(using: &random) ? .random(in: 0...250, using: &random) : nil
                    }
                    location.mode = Bool.random(using: &random) ? .twoDimensional : .threeDimensional
                    location.augmentation = Bool.random(using: &random) ? .dgps : nil
                    location.satellitesUsed = Bool.random(using: &random) ? .random(in: 0...20, using: &random) : nil
                    let now = BootInstant(seconds: seconds)
                    tale.append(try machine.applyFix(location, at: now).map { try encoder.encode($0) })
                    tale.append(try machine.current(at: now).map { try encoder.encode($0) })
                }
                return tale
            }
            #expect(machines[0] == machines[1])
            #expect(machines[0].count { $0 != nil } > 8)
        }
    }
}
