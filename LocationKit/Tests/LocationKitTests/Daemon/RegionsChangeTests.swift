@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import TestSupport
import Testing
import Varlink

@_spi(Programs) @testable import LocationKit

/// The steps from one set of regions to another, each of them small enough for the daemon.
@Suite struct RegionsChangeTests {
    /// The daemon's default limit of a message, bytes.
    private static let limit = 65_536

    /// A polygon whose coordinates have the most digits.
    private static func polygon(_ number: Int, corners count: Int) throws -> Region {
        let corners = try (0..<count).map { corner in
            try #require(
                Coordinate(
                    latitude: -89.111_111_111_111_11 + Double(corner) / 1e6,
                    longitude: -179.111_111_111_111_11 + Double(corner % 7 + number) / 1e6))
        }
        let identifier = "\(number)" + String(repeating: "\u{1}", count: Region.identifierLimit - 4)
        return try Region(
            identifier: identifier, shape: .polygon(RegionPolygon(corners: corners)), dwell: 86_399.123_456_789)
    }

    private static func circle(_ number: Int) throws -> Region {
        let center = try #require(Coordinate(latitude: -89.111_111_111_111_11, longitude: -179.111_111_111_111_11))
        return try Region(
            identifier: "\(number)", shape: .circle(RegionCircle(center: center, radius: 1_234_567.123_456)))
    }

    @Test func wholeQuotaIsSentInStepsThatTheDaemonAccepts() throws {
        var wanted = try (0..<31).map { try Self.polygon($0, corners: RegionPolygon.cornerLimit) }
        wanted += try (100..<900).map { try Self.circle($0) }
        let old = try (200..<1100).map { try Self.polygon($0, corners: 3) }
        var regions = old
        var steps = 0
        while let step = RegionsChange(from: regions, to: wanted) {
            let call = try MessageEncoder().call(
                LocationInterface.Method.changeRegions,
                ChangeRegionsParameters(
                    name: String(repeating: "\u{1}", count: 128), add: step.added, remove: step.removed), more: false)
            #expect(call.count <= Self.limit, "step \(steps)")
            regions = step.result
            steps += 1
            try #require(steps < 100)
        }
        #expect(Set(regions) == Set(wanted))
        #expect(steps > 31)
    }

    @Test func cornersAreRoundedToCentimetresOnce() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let corners = try (0..<5).map { _ in
                try #require(
                    Coordinate(
                        latitude: .random(in: -90...90, using: &random),
                        longitude: [.random(in: -180...180, using: &random), 180, -180].randomElement(using: &random)
                            ?? 0))
            }
            let polygon = try RegionPolygon(corners: corners)
            #expect(try RegionPolygon(corners: polygon.corners) == polygon)
            for (persisted, given) in zip(polygon.corners, corners) { #expect(persisted.distance(to: given) < 0.01) }
        }
        let close = try (0..<3).map { try #require(Coordinate(latitude: 1, longitude: Double($0) * 1e-9)) }
        #expect(throws: InvalidField.self) { try RegionPolygon(corners: close) }
    }
}
