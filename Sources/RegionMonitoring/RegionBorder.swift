import Geodesy
import LocationModel

/// A region's border, made ready to be measured to.
enum RegionBorder: Sendable {
    case circle(RegionCircle)
    case polygon(PolygonBorder)

    init(_ shape: RegionShape) {
        switch shape {
        case .circle(let circle): self = .circle(circle)
        case .polygon(let polygon): self = .polygon(PolygonBorder(polygon))
        }
    }

    /// Metres from a place to the nearest one on the border, positive inside and negative outside: exact for a circle,
    /// for a polygon at most 1.1 % and a millimetre too small in magnitude and never too great.
    func distance(from place: Coordinate) -> Double {
        switch self {
        case .circle(let circle): circle.radius - circle.center.distance(to: place)
        case .polygon(let border):
            border.contains(place.geodetic)
                ? border.distance(from: place.geodetic) : -border.distance(from: place.geodetic)
        }
    }

    /// Metres that no place inside is farther from the border than.
    var depth: Double {
        switch self {
        case .circle(let circle): circle.radius
        case .polygon(let border): border.depth
        }
    }
}
