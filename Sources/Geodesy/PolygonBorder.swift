import Glibc

/// A polygon's sides, and on which of their two sides a place is.
package struct PolygonBorder: Sendable {
    private let tree: EdgeTree
    /// Whether the south pole is inside, as only rings around the Earth have it.
    private let holdsSouthPole: Bool
    /// Metres that no place inside is farther from the border than; too great rather than too small.
    package let depth: Double

    /// What ``distance(from:)`` may differ by from what it was at the same place: a part of the distance, and metres.
    package static var tolerance: (part: Double, metres: Double) { SphereDistance.tolerance }

    /// - Parameter corners: of the ring, at least three, in its order; the last is joined to the first.
    package init(corners: [GeodeticPoint]) {
        let sides = corners.indices.map { PolygonEdge(corners[$0], corners[($0 + 1) % corners.count]) }
        // A ring that crosses one meridian an odd number of times goes around the Earth.
        let isAroundEarth = sides.count { $0.crossesAntimeridian } % 2 == 1
        let latitudes = corners.map(\.latitude)
        let north = latitudes.reduce(0, +) >= 0
        holdsSouthPole = isAroundEarth && !north
        tree = EdgeTree(sides)
        depth = Self.depth(of: sides, latitudes: latitudes, pole: isAroundEarth ? (north ? 90 : -90) : nil)
    }

    /// From the parallels that bound it, no place inside is farther than half of what is between them, or all of it where
    /// one is a pole; from the meridians, half of what is between them where they are widest apart.
    private static func depth(of sides: [PolygonEdge], latitudes: [Double], pole: Double?) -> Double {
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
    package func contains(_ place: GeodeticPoint) -> Bool {
        let longitude = place.longitude == 180 ? -180 : place.longitude
        let isOnSouthPoleSide = tree.crossings(southOf: place.latitude, longitude: longitude).isMultiple(of: 2)
        return isOnSouthPoleSide == holdsSouthPole
    }

    /// Metres to the nearest place on a side, by a ``SphereDistance``.
    package func distance(from place: GeodeticPoint) -> Double {
        var search = SphereDistance(from: place)
        search.visit(tree)
        return search.metres
    }
}

/// A side of a polygon on the map of longitude and latitude, from its western end to its eastern one: the same for
/// both polygons that share it. Degrees.
struct PolygonEdge: Sendable {
    /// The longitude of the western end, -180..<180.
    let west: Double
    /// The longitude of the eastern end, -180..<180; less than `west` if the side crosses the antimeridian.
    let east: Double
    /// How far it is from end to end, 0...180.
    let span: Double
    /// The latitude of the western end.
    let latitude: Double
    /// How much farther north the eastern end is.
    let rise: Double
    /// Whether the ring goes along it from west to east.
    let isEastward: Bool

    /// The shorter way around the Earth; of two that are equally short, the one that keeps off the antimeridian.
    init(_ first: GeodeticPoint, _ second: GeodeticPoint) {
        let apart = (second.longitude - first.longitude).magnitude
        let (lesser, greater) = first.longitude <= second.longitude ? (first, second) : (second, first)
        let (western, eastern) = apart <= 180 ? (lesser, greater) : (greater, lesser)
        west = western.longitude == 180 ? -180 : western.longitude
        east = eastern.longitude == 180 ? -180 : eastern.longitude
        span = apart <= 180 ? apart : 360 - apart
        latitude = western.latitude
        isEastward = western == first
        rise = eastern.latitude - western.latitude
    }

    /// True if it crosses the meridian of 180°.
    var crossesAntimeridian: Bool { east < west }

    /// True if the way from a place to the south pole crosses it. `longitude` is -180..<180. Of the ends the western
    /// one belongs to the side, so that a way through a corner crosses both sides that meet there, or one, or none,
    /// as it passes from one side of the ring to the other or only touches it.
    func isCrossed(southOf latitude: Double, longitude: Double) -> Bool {
        let spans =
            crossesAntimeridian ? longitude >= west || longitude < east : longitude >= west && longitude < east
        guard spans else { return false }
        let along = longitude >= west ? longitude - west : longitude - west + 360
        return (latitude - self.latitude) * span > rise * along
    }
}
