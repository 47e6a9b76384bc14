@_spi(Programs) import LocationModel

/// A region's border, prepared for measuring distances.
enum RegionBorder: Sendable {
    case circle(RegionCircle)
    case polygon(PolygonBorder)

    init(_ shape: RegionShape) {
        switch shape {
        case .circle(let circle): self = .circle(circle)
        case .polygon(let polygon): self = .polygon(PolygonBorder(polygon))
        }
    }

    /// Metres from a place to the nearest one on the border, positive inside and negative outside: exact for a circle;
    /// for a polygon the magnitude is at most 1.1 % and a millimetre too small and never too great.
    func distance(from place: Coordinate) -> Double {
        switch self {
        case .circle(let circle): circle.radius - circle.center.distance(to: place)
        case .polygon(let border):
            border.contains(place.geodetic)
                ? border.distance(from: place.geodetic) : -border.distance(from: place.geodetic)
        }
    }

    /// An upper bound, metres, of the distance of any place inside from the border.
    var depth: Double {
        switch self {
        case .circle(let circle): circle.radius
        case .polygon(let border): border.depth
        }
    }
}
