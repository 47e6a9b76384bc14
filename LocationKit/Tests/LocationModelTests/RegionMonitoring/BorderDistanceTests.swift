import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// How far it is to a border, by geodesics to many places on it.
@Suite struct BorderDistanceTests {
    @Test(arguments: [1, 50, 5000, 1_000_000, 10_000_000] as [Double])
    func circleIsMeasuredExactly(_ radius: Double) throws {
        for center in [
            try Coordinate(0, 0), try Coordinate(52, -180), try Coordinate(-89.999, 17), try Coordinate(90, 0),
        ] {
            let border = RegionBorder(.circle(try RegionCircle(center: center, radius: radius)))
            #expect(border.distance(from: center) == radius)
            #expect(border.depth == radius)
            for bearing in stride(from: 0.0, to: 360, by: 45) {
                let inside = center.coordinate(atDistance: radius * 0.75, bearing: bearing)
                #expect(abs(border.distance(from: inside) - radius / 4) < 1e-6)
                let outside = center.coordinate(atDistance: radius * 1.5, bearing: bearing)
                #expect(abs(border.distance(from: outside) + radius / 2) < 1e-6)
            }
        }
    }

    /// What a ring around a place looks like, and from how far it is looked at, metres.
    @Test(arguments: [(50, 10), (50, 500), (2000, 20), (2000, 50_000), (300_000, 1000), (3_000_000, 3_000_000)])
    func polygonIsMeasuredWithinAHundredth(_ size: Double, _ reach: Double) throws {
        var random = SeededGenerator(seed: UInt64(size + reach))
        for latitude in [0.0, 48, -75, 89.99, -90] {
            let middle = try Coordinate(latitude, .random(in: -180...180, using: &random))
            let count = [5, 13].randomElement(using: &random) ?? 5
            let corners = (0..<count).map { corner in
                middle.coordinate(
                    atDistance: size * .random(in: 0.1...1, using: &random),
                    bearing: Double(corner) * 360 / Double(count))
            }
            let polygon = try RegionPolygon(corners: corners)
            let border = PolygonBorder(polygon)
            for _ in 0..<4 {
                let corner = try #require(corners.randomElement(using: &random))
                let place = corner.coordinate(
                    atDistance: .random(in: 0...reach, using: &random), bearing: .random(in: 0...360, using: &random))
                let (distance, truth) = (border.distance(from: place.geodetic), polygon.sampledDistance(from: place))
                #expect(distance <= truth + 1e-6 && distance >= truth * 0.989 - 0.001, "\(place), \(corners)")
            }
        }
    }

    @Test func placeOnTheBorderIsAtNoDistance() throws {
        let border = PolygonBorder(try RegionPolygon((10, 170), (20, -170), (-30, -160), (-40, 160)))
        for place in [try Coordinate(15, 180), try Coordinate(20, -170), try Coordinate(-35, 180)] {
            #expect(border.distance(from: place.geodetic) < 1e-6)
        }
    }

    @Test func polesAreCrossed() throws {
        let polygon = try RegionPolygon((89.5, 0), (89.5, 20), (85, 10))
        let place = try Coordinate(89.5, -170)
        let (distance, truth) = (
            PolygonBorder(polygon).distance(from: place.geodetic), polygon.sampledDistance(from: place)
        )
        #expect(distance > 0.98 * truth && distance < truth)
        #expect(truth < 111_700)
    }

    @Test func depthIsNoLessThanTheDistanceInside() throws {
        var random = SeededGenerator(seed: 4)
        var inside = 0
        for _ in 0..<300 {
            let middle = try Coordinate(.random(in: -80...80, using: &random), .random(in: -180...180, using: &random))
            let size = pow(10, Double.random(in: 1...6, using: &random))
            let corners = (0..<6).map { corner in
                middle.coordinate(atDistance: size * .random(in: 0.5...1, using: &random), bearing: Double(corner) * 60)
            }
            let border = RegionBorder(.polygon(try RegionPolygon(corners: corners)))
            let distance = border.distance(from: middle)
            #expect(distance <= border.depth)
            #expect(border.depth < 4 * size)
            if distance > 0 { inside += 1 }
        }
        #expect(inside > 250)
    }
}

extension RegionPolygon {
    /// The distance to the nearest of many places on the sides, and of more about that one.
    fileprivate func sampledDistance(from place: Coordinate) -> Double {
        var nearest = Double.infinity
        for index in corners.indices {
            let (start, end) = (corners[index], corners[(index + 1) % corners.count])
            let turn = (end.longitude - start.longitude).remainder(dividingBy: 360)
            func distance(_ part: Double) -> Double {
                let latitude = start.latitude + (end.latitude - start.latitude) * part
                let longitude = (start.longitude + turn * part).remainder(dividingBy: 360)
                return Coordinate(latitude: latitude, longitude: longitude)?.distance(to: place) ?? .infinity
            }
            var (middle, step) = (0.5, 0.5)
            while step > 1e-10 {
                let parts = stride(from: max(0, middle - step), through: min(1, middle + step), by: step / 16)
                middle = parts.map { ($0, distance($0)) }.min { $0.1 < $1.1 }?.0 ?? middle
                step /= 8
            }
            nearest = min(nearest, distance(middle), distance(0), distance(1))
        }
        return nearest
    }
}
