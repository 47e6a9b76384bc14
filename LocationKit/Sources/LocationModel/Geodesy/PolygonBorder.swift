import Glibc

/// A polygon's sides, with tests for inside and distance.
@_spi(Programs) public struct PolygonBorder: Sendable {
    private let tree: EdgeTree
    /// Whether the south pole is inside, as only rings around the Earth have it.
    private let holdsSouthPole: Bool
    /// An upper bound, metres, of the distance of any place inside from the border.
    @_spi(Programs) public let depth: Double

    /// By how much ``distance(from:)`` may vary for the same place: a fraction of the distance, and metres.
    @_spi(Programs) public static var tolerance: (part: Double, metres: Double) { SphereDistance.tolerance }

    /// - Parameter corners: the ring's corners, at least three, in order; the last is joined to the first.
    @_spi(Programs) public init(corners: [GeodeticPoint]) {
        let sides = corners.indices.map { PolygonEdge(corners[$0], corners[($0 + 1) % corners.count]) }
        // A ring that crosses one meridian an odd number of times goes around the Earth.
        let isAroundEarth = sides.count { $0.crossesAntimeridian } % 2 == 1
        let latitudes = corners.map(\.latitude)
        let north = latitudes.reduce(0, +) >= 0
        holdsSouthPole = isAroundEarth && !north
        tree = EdgeTree(sides)
        depth = Self.depth(of: sides, latitudes: latitudes, pole: isAroundEarth ? (north ? 90 : -90) : nil)
    }

    /// A bound from the parallels around the polygon: half of their distance, or all of it if one is a pole; and one
    /// from the meridians: half of their distance where they are farthest apart.
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

    /// Whether a place is inside. If polygons cover the Earth without overlapping, every place is in exactly one of
    /// them, except places on a side, which rounding decides.
    @_spi(Programs) public func contains(_ place: GeodeticPoint) -> Bool {
        let longitude = place.longitude == 180 ? -180 : place.longitude
        let isOnSouthPoleSide = tree.crossings(southOf: place.latitude, longitude: longitude).isMultiple(of: 2)
        return isOnSouthPoleSide == holdsSouthPole
    }

    /// Metres to the nearest place on a side, computed by a ``SphereDistance``.
    @_spi(Programs) public func distance(from place: GeodeticPoint) -> Double {
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
    /// The difference of the longitudes, 0...180.
    let span: Double
    /// The latitude of the western end.
    let latitude: Double
    /// How much farther north the eastern end is.
    let rise: Double
    /// Whether the ring goes along it from west to east.
    let isEastward: Bool

    /// The side that goes the shorter way around the Earth or, if both are equally short, the way that does not cross
    /// the antimeridian.
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

    /// True if the meridian from a place to the south pole crosses it. `longitude` is -180..<180. The side includes its
    /// western end but not its eastern one, so that a meridian through a corner crosses one of the two sides that meet
    /// there if it passes from one side of the ring to the other, and both or none if it only touches the ring.
    func isCrossed(southOf latitude: Double, longitude: Double) -> Bool {
        let spans =
            crossesAntimeridian ? longitude >= west || longitude < east : longitude >= west && longitude < east
        guard spans else { return false }
        let along = longitude >= west ? longitude - west : longitude - west + 360
        return (latitude - self.latitude) * span > rise * along
    }
}
