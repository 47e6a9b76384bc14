import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct DiskPointTests {
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
