import Foundation
import TestSupport
import Testing

@_spi(Programs) @testable import LocationModel

/// That most sides are not looked at changes nothing.
@Suite struct SideTreeTests {
    private static let places = [(52.5, 13.4), (0, 180), (-17, -180), (90, 0), (-89.9995, 40), (0, 0), (71, 179.99)]

    @Test(arguments: 0..<28 as Range<UInt64>)
    func eachSideThatCountsIsFound(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let middle = try Coordinate(Self.places[Int(seed) % Self.places.count].0, Self.places[Int(seed) % 7].1)
        let size = pow(10, Double.random(in: 1...6.8, using: &random))
        let count = Int.random(in: 3...300, using: &random)
        // Some are so ragged that sides cross.
        let jitter = Double.random(in: 0...3, using: &random)
        let corners = (0..<count).map { corner in
            middle.coordinate(
                atDistance: size * .random(in: 0.3...1, using: &random),
                bearing: (Double(corner) + .random(in: 0...jitter, using: &random)) * 360 / Double(count))
        }
        let sides = corners.indices.map { PolygonEdge(corners[$0].geodetic, corners[($0 + 1) % count].geodetic) }
        let tree = EdgeTree(sides)
        for _ in 0..<15 {
            var place = middle.coordinate(
                atDistance: size * .random(in: 0...2, using: &random), bearing: .random(in: 0..<360, using: &random))
            if Bool.random(using: &random), let corner = corners.randomElement(using: &random) {
                place = try Coordinate(place.latitude, corner.longitude)
            }
            let longitude = place.longitude == 180 ? -180 : place.longitude
            let crossings = sides.count { $0.isCrossed(southOf: place.latitude, longitude: longitude) }
            #expect(tree.crossings(southOf: place.latitude, longitude: longitude) == crossings, "\(place)")
            var (among, alone) = (SphereDistance(from: place.geodetic), Double.infinity)
            among.visit(tree)
            for side in sides {
                var search = SphereDistance(from: place.geodetic)
                search.visit(EdgeTree([side]))
                alone = min(alone, search.metres)
            }
            // Each is short of the same truth by no more than the tolerance, of which long arcs have more.
            let tolerance = alone < 1e7 ? 2 * SphereDistance.tolerance.part * alone + 0.003 : 200_000
            #expect(abs(among.metres - alone) <= tolerance, "\(place)")
        }
    }

    @Test func withoutSidesNothingIsCrossedOrNear() throws {
        var search = SphereDistance(from: GeodeticPoint(latitude: 1, longitude: 2))
        search.visit(EdgeTree([]))
        #expect(search.metres > 19_000_000)
        #expect(EdgeTree([]).crossings(southOf: 1, longitude: 2) == 0)
    }
}
