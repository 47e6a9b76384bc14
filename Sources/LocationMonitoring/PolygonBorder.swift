import Glibc
import LocationModel

/// A polygon's sides, and on which of their two sides a place is.
struct PolygonBorder: Sendable {
    private let tree: SideTree
    /// Whether the south pole is inside, as only rings around the Earth have it.
    private let holdsSouthPole: Bool
    /// Metres that no place inside is farther from the border than; too great rather than too small.
    let depth: Double

    init(_ polygon: RegionPolygon) {
        let corners = polygon.corners
        let sides = corners.indices.map { PolygonSide(corners[$0], corners[($0 + 1) % corners.count]) }
        // A ring that crosses one meridian an odd number of times goes around the Earth.
        let isAroundEarth = sides.count { $0.crossesAntimeridian } % 2 == 1
        let latitudes = corners.map(\.latitude)
        let north = latitudes.reduce(0, +) >= 0
        holdsSouthPole = isAroundEarth && !north
        tree = SideTree(sides)
        depth = Self.depth(of: sides, latitudes: latitudes, pole: isAroundEarth ? (north ? 90 : -90) : nil)
    }

    /// From the parallels that bound it, no place inside is farther than half of what is between them, or all of it where
    /// one is a pole; from the meridians, half of what is between them where they are widest apart.
    private static func depth(of sides: [PolygonSide], latitudes: [Double], pole: Double?) -> Double {
        let degree = 111_700.0
        let (lowest, highest) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
        if let pole { return max(highest - pole, pole - lowest) * degree }
        var longitude = 0.0
        var (west, east) = (0.0, 0.0)
        for side in sides {
            longitude += side.isEastward ? side.span : -side.span
            (west, east) = (min(west, longitude), max(east, longitude))
        }
        let widest = lowest <= 0 && highest >= 0 ? 1 : cos(min(lowest.magnitude, highest.magnitude) * .pi / 180)
        return min(highest - lowest, (east - west) * widest) / 2 * degree
    }

    /// Whether a place is inside. Every place but those on a side, for which rounding decides, is in exactly one of
    /// polygons that cover the Earth without overlapping.
    func contains(_ place: Coordinate) -> Bool {
        let longitude = place.longitude == 180 ? -180 : place.longitude
        let isOnSouthPoleSide = tree.crossings(southOf: place.latitude, longitude: longitude).isMultiple(of: 2)
        return isOnSouthPoleSide == holdsSouthPole
    }

    /// Metres to the nearest place on a side, by a ``SphereDistance``.
    func distance(from place: Coordinate) -> Double {
        var search = SphereDistance(from: place)
        search.visit(tree)
        return search.metres
    }
}
