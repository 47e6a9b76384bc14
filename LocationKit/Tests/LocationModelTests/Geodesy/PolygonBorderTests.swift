@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Which places are inside of a polygon.
@Suite struct PolygonBorderTests {
    @Test(arguments: [0.0, 90, 175, 179.9, 180, -180, -178, -91])
    func squareIsTheSameEverywhereAroundTheEarth(_ middle: Double) throws {
        func turned(_ longitude: Double) -> Double { (middle + longitude).remainder(dividingBy: 360) }
        let square = PolygonBorder(
            try RegionPolygon((10, turned(-8)), (10, turned(8)), (-10, turned(8)), (-10, turned(-8))))
        #expect(try square.contains(0, turned(0)))
        #expect(try square.contains(9.9, turned(7.9)))
        #expect(try square.contains(-9.9, turned(-7.9)))
        #expect(try !square.contains(0, turned(8.1)))
        #expect(try !square.contains(10.1, turned(0)))
        #expect(try !square.contains(0, turned(180)))
        #expect(try !square.contains(90, 0))
        #expect(try !square.contains(-90, 0))
    }

    @Test func ringAroundTheEarthHoldsTheNearerPole() throws {
        let arctic = PolygonBorder(try RegionPolygon((60, 0), (70, 120), (65, -120)))
        #expect(try arctic.contains(90, 0))
        #expect(try arctic.contains(71, 180))
        #expect(try !arctic.contains(61, 60))
        #expect(try !arctic.contains(-90, 77))
        let antarctic = PolygonBorder(try RegionPolygon((-60, 0), (-60, -100), (-60, 100)))
        #expect(try antarctic.contains(-90, 0))
        #expect(try antarctic.contains(-61, -180))
        #expect(try antarctic.contains(-61, 180))
        #expect(try !antarctic.contains(-59, 180))
        #expect(try !antarctic.contains(90, 0))
        // As GeoJSON for flat maps has it, along the antimeridian to the pole and back.
        let flat = PolygonBorder(
            try RegionPolygon((-60, -180), (-60, -60), (-60, 60), (-60, 180), (-90, 180), (-90, -180)))
        #expect(try flat.contains(-90, 0))
        #expect(try flat.contains(-61, 179.9))
        #expect(try flat.contains(-61, -179.9))
        #expect(try !flat.contains(-59, 0))
    }

    @Test func sideOfHalfATurnKeepsOffTheAntimeridian() throws {
        let east = PolygonBorder(try RegionPolygon((10, 0), (10, 180), (-10, 180), (-10, 0)))
        #expect(try east.contains(0, 90))
        #expect(try !east.contains(0, -90))
        let west = PolygonBorder(try RegionPolygon((10, -180), (10, 0), (-10, 0), (-10, -180)))
        #expect(try west.contains(0, -90))
        #expect(try !west.contains(0, 90))
    }

    @Test func ringWithoutAreaHoldsNothing() throws {
        let line = PolygonBorder(try RegionPolygon((0, 0), (10, 10), (20, 20)))
        let thereAndBack = PolygonBorder(try RegionPolygon((0, 0), (0, 10), (0, 20), (0, 10)))
        for border in [line, thereAndBack] {
            #expect(try !border.contains(5.5, 5))
            #expect(try !border.contains(4.5, 5))
            #expect(try !border.contains(-1, 10))
            #expect(try border.distance(from: Coordinate(5, 5).geodetic) < 560_000)
        }
    }

    @Test func sliverHoldsWhatIsBetweenItsSides() throws {
        let sliver = PolygonBorder(try RegionPolygon((50, 179), (50.000_001, 179), (51.000_001, -179), (51, -179)))
        #expect(try sliver.contains(50.500_000_5, 180))
        #expect(try sliver.contains(50.500_000_5, -180))
        #expect(try !sliver.contains(50.499_999_9, 180))
        #expect(try !sliver.contains(50.500_001_1, 180))
        #expect(try sliver.distance(from: Coordinate(50.500_000_5, 180).geodetic) < 0.06)
        #expect(sliver.depth < 112_000)
    }

    /// Also for places on sides and corners.
    @Test func tilesThatCoverTheEarthHoldEveryPlaceOnce() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            let meridians = (0..<6).map { _ in Double(Int.random(in: -18..<18, using: &random)) * 10 }
            let longitudes = Set(meridians + [-100, 20, 140]).sorted()
            let latitudes = [-60.0, -20, 0, 30, 70]
            var tiles = [
                PolygonBorder(try RegionPolygon(corners: longitudes.map { try Coordinate(70, $0) })),
                PolygonBorder(try RegionPolygon(corners: longitudes.map { try Coordinate(-60, $0) })),
            ]
            for (index, west) in longitudes.enumerated() {
                let east = longitudes[(index + 1) % longitudes.count]
                for (south, north) in zip(latitudes, latitudes.dropFirst()) {
                    // A slanted side in half of them, so that triangles share it.
                    let corners = [(south, west), (south, east), (north, east), (north, west)]
                    tiles.append(PolygonBorder(try RegionPolygon(corners[0], corners[1], corners[2])))
                    tiles.append(PolygonBorder(try RegionPolygon(corners[2], corners[3], corners[0])))
                }
            }
            for _ in 0..<50 {
                let isOnGrid = Bool.random(using: &random)
                let latitude =
                    isOnGrid ? latitudes.randomElement(using: &random) ?? 0 : .random(in: -90...90, using: &random)
                let longitude = Double(Int.random(in: -18...18, using: &random)) * 10
                let place = try Coordinate(latitude, longitude)
                #expect(tiles.count { $0.contains(place.geodetic) } == 1, "\(place), \(longitudes)")
            }
        }
    }
}
