@_spi(Programs) import LocationModel

extension SurfacePoint {
    init(_ coordinate: Coordinate) { self.init(coordinate.geodetic) }

    /// The coordinate of ``Geodesy/SurfacePoint/geodetic``.
    var coordinate: Coordinate? {
        geodetic.flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    }
}

extension PolygonBorder {
    init(_ polygon: RegionPolygon) { self.init(corners: polygon.corners.map(\.geodetic)) }
}
