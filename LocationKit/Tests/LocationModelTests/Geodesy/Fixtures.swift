@_spi(Programs) import LocationModel
import Testing

extension Coordinate {
    init(_ latitude: Double, _ longitude: Double) throws {
        self = try #require(Coordinate(latitude: latitude, longitude: longitude))
    }
}

extension RegionPolygon {
    /// Corners as latitude and longitude.
    init(_ corners: (Double, Double)...) throws {
        try self.init(corners: corners.map { try Coordinate($0.0, $0.1) })
    }
}

extension PolygonBorder {
    init(_ polygon: RegionPolygon) { self.init(corners: polygon.corners.map(\.geodetic)) }

    func contains(_ latitude: Double, _ longitude: Double) throws -> Bool {
        contains(try Coordinate(latitude, longitude).geodetic)
    }
}
