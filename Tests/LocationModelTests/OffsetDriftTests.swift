import Foundation
import LocationModel
import TestSupport
import Testing

@Suite struct OffsetDriftTests {
    private let start = BootInstant(seconds: 5000)

    @Test func pointsAreDrawnEvenlyFromTheDisk() {
        var random = SeededGenerator(seed: 1)
        let points = (0..<20_000).map { _ in DiskPoint.random(using: &random) }
        let squares = points.map { $0.east * $0.east + $0.north * $0.north }
        #expect(squares.allSatisfy { $0 <= 1 })
        for part in [0.1, 0.25, 0.5, 0.9] {
            // The square of the distance is spread evenly, as are the directions.
            #expect(abs(Double(squares.count { $0 < part }) / 20_000 - part) < 0.015)
        }
        #expect(abs(points.map(\.east).reduce(0, +) / 20_000) < 0.015)
        #expect(abs(points.map(\.north).reduce(0, +) / 20_000) < 0.015)
    }

    @Test func displacementHasItsLengthAndDirection() throws {
        let origin = try Location.bare().coordinate
        let point = try #require(DiskPoint(east: 0.6, north: -0.8))
        let moved = point.displacing(origin, radius: 1000)
        #expect(abs(origin.distance(to: moved) - 1000) < 1e-6)
        #expect(abs(try #require(origin.initialBearing(to: moved)) - 143.130_102_35) < 1e-6)
        #expect(try #require(DiskPoint(east: 0, north: 0)).displacing(origin, radius: 1000).distance(to: origin) < 1e-6)
    }

    @Test func driftIsSteadyAndStaysInTheDisk() {
        var random = SeededGenerator(seed: 2)
        var drift = OffsetDrift.random(at: start, using: &random)
        var last = drift.offset(at: start)
        #expect(last == drift.from)
        for hour in 0..<(24 * 100) {
            let now = start.advanced(bySeconds: Double(hour) * 3600)
            if drift.isOver(at: now) { drift = drift.next(at: now, using: &random) }
            let offset = drift.offset(at: now)
            #expect(hypot(offset.east, offset.north) <= 1 + 1e-12)
            // At most the diameter in 30 days.
            #expect(hypot(offset.east - last.east, offset.north - last.north) <= 2.01 / (24 * 30))
            last = offset
        }
        #expect(drift.from != drift.to)
    }

    @Test func clockThatJumpsLeadsToAnEndAtMost() {
        var random = SeededGenerator(seed: 3)
        let drift = OffsetDrift.random(at: start, using: &random)
        for nanoseconds in [Int64.min, -1, 0] {
            #expect(drift.offset(at: BootInstant(nanoseconds: nanoseconds)) == drift.from)
        }
        let end = drift.offset(at: BootInstant(nanoseconds: .max))
        #expect(hypot(end.east - drift.to.east, end.north - drift.to.north) < 1e-12)
        #expect(drift.isOver(at: BootInstant(nanoseconds: .max)))
        #expect(!drift.isOver(at: start.advanced(bySeconds: OffsetDrift.duration - 1)))
        #expect(drift.isOver(at: start.advanced(bySeconds: OffsetDrift.duration)))
    }

    @Test(arguments: [-3.0, 0, 0.25, 1, 7, .nan, .infinity] as [Double])
    func progressIsTakenUpWhereItWas(_ progress: Double) {
        var random = SeededGenerator(seed: 4)
        let drift = OffsetDrift(
            from: .random(using: &random), to: .random(using: &random), progress: progress, at: start)
        let expected = progress.isNaN ? 0 : max(0, min(1, progress))
        #expect(abs(drift.progress(at: start) - expected) < 1e-12)
    }

    @Test func pointOutsideTheDiskIsNotDecoded() throws {
        let decoder = JSONDecoder()
        let inside = try decoder.decode(DiskPoint.self, from: Data(#"{"east":-0.5,"north":0.5}"#.utf8))
        #expect(inside == DiskPoint(east: -0.5, north: 0.5))
        #expect(throws: DecodingError.self) {
            try decoder.decode(DiskPoint.self, from: Data(#"{"east":0.8,"north":0.8}"#.utf8))
        }
        #expect(DiskPoint(east: .nan, north: 0) == nil)
    }
}
