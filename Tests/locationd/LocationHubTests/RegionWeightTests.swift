import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import LocationHub

/// What a polygon counts as against its owner's limit: one for each 32 corners begun.
@Suite struct RegionWeightTests {
    @Test(arguments: [(3, 1), (31, 1), (32, 1), (33, 2), (64, 2), (65, 3)])
    func eachThirtyTwoCornersCountOnce(corners: Int, weight: Int) throws {
        let polygon = try RegionPolygon(
            corners: (0..<corners).compactMap { index in
                let angle = 2 * Double.pi * Double(index) / Double(corners)
                return Coordinate(latitude: sin(angle), longitude: cos(angle))
            })
        #expect(try Region(identifier: "p", shape: .polygon(polygon)).weight == weight)
    }
}
