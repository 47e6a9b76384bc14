import Glibc

/// The least distance, metres, of a place from lines that are straight on the map of longitude and latitude: at most
/// 1.1 % and a millimetre less than the shortest distance over the ellipsoid, and never more.
///
/// It is the distance on the sphere of radius b² / a between the points of the same latitudes and longitudes, less
/// ``tolerance``. The ellipsoid's radii of curvature are nowhere smaller than this radius, so no path is longer on the
/// sphere, and none is more than 1.01 % shorter. By the haversine formula the chord between two points on the unit
/// sphere is
///
///     c² = 4 sin²(Δφ / 2) + 4 cos φ₁ cos φ₂ sin²(Δλ / 2)
///
/// As sin x / x decreases and cos φ is least at an end, a segment of a line is never nearer than the same segment in
/// the plane of Δφ and Δλ, with both axes scaled by the worst case of these factors. If that bound is not close enough
/// to the chord of the nearest point found so far, the segment is halved.
/// close enough to the chord of the nearest place found is halved.
struct SphereDistance {
    private let point: UnitPoint
    private let longitude: Double
    private let latitude: Double
    private let cosine: Double
    /// A lower bound of the chord to any line visited.
    private var bound = 2.0
    /// The chord of the nearest point found on a line.
    private var found = 2.0

    /// The allowed error: one part in 10,000, or a millimetre.
    static let tolerance = (part: 1e-4, metres: 0.001)
    private static let (proportion, allowance) = (1 - tolerance.part, tolerance.metres / SurfacePoint.tightestRadius)

    init(from place: GeodeticPoint) {
        point = UnitPoint(latitude: place.latitude, longitude: place.longitude)
        longitude = place.longitude
        latitude = place.latitude * .pi / 180
        cosine = cos(latitude)
    }

    var metres: Double { SurfacePoint.tightestRadius * 2 * asin(min(1, bound / 2)) }

    mutating func visit(_ tree: EdgeTree) {
        visit(0, of: tree, least: least(to: tree[0]))
    }

    /// - Parameter least: a lower bound of the chord to any line of the node.
    private mutating func visit(_ index: Int, of tree: EdgeTree, least: Double) {
        guard least < bound else { return }
        if least >= Self.proportion * found - Self.allowance {
            bound = least
            return
        }
        let second = tree[index].second
        guard second != index else {
            for side in tree.sides[tree[index].sides] { visit(side) }
            return
        }
        let (ahead, behind) = (self.least(to: tree[index + 1]), self.least(to: tree[second]))
        // The nearer half first, because it may make the other unnecessary.
        if ahead <= behind {
            visit(index + 1, of: tree, least: ahead)
            visit(second, of: tree, least: behind)
        } else {
            visit(second, of: tree, least: behind)
            visit(index + 1, of: tree, least: ahead)
        }
    }

    private func least(to node: EdgeTree.Node) -> Double {
        max(0, node.ball.middle.distance(to: point) - node.ball.radius)
    }

    private mutating func visit(_ side: PolygonEdge) {
        let (first, second) = (side.latitude * .pi / 180, (side.latitude + side.rise) * .pi / 180)
        // Most lines are excluded by being too far north or south.
        let gap = max(min(first, second) - latitude, latitude - max(first, second))
        guard gap < bound * (.pi / 2) else { return }
        let west = (side.west - longitude).remainder(dividingBy: 360) * .pi / 180
        visit(from: Point(first, west), to: Point(second, west + side.span * .pi / 180), halvings: 48)
    }

    /// A latitude, and a longitude relative to the place's; radians.
    private struct Point {
        var latitude, longitude, cosine: Double

        init(_ latitude: Double, _ longitude: Double) {
            (self.latitude, self.longitude) = (latitude, longitude)
            cosine = max(0, cos(latitude))
        }

        func toward(_ other: Point, part: Double) -> Point {
            Point(latitude + (other.latitude - latitude) * part, longitude + (other.longitude - longitude) * part)
        }
    }

    private mutating func visit(from start: Point, to end: Point, halvings: Int) {
        let middle = (start.longitude + end.longitude) / 2
        if middle.magnitude > .pi {
            // The other direction around the Earth is shorter.
            var (start, end) = (start, end)
            start.longitude -= middle < 0 ? -2 * .pi : 2 * .pi
            end.longitude -= middle < 0 ? -2 * .pi : 2 * .pi
            visit(from: start, to: end, halvings: halvings)
            return
        }
        let (startNorth, endNorth) = (start.latitude - latitude, end.latitude - latitude)
        let north = Self.shortening(max(startNorth.magnitude, endNorth.magnitude))
        let east =
            Self.shortening(max(start.longitude.magnitude, end.longitude.magnitude))
            * (cosine * min(start.cosine, end.cosine)).squareRoot()
        let (x, y) = (east * start.longitude, north * startNorth)
        let (dx, dy) = (east * (end.longitude - start.longitude), north * (end.latitude - start.latitude))
        let square = dx * dx + dy * dy
        let part = square > 0 ? max(0, min(1, -(x * dx + y * dy) / square)) : 0
        let least = hypot(x + part * dx, y + part * dy)
        guard least < bound else { return }
        found = min(found, chord(to: start.toward(end, part: part)))
        if halvings == 0 || least >= Self.proportion * found - Self.allowance {
            bound = least
            return
        }
        let half = start.toward(end, part: 0.5)
        // The nearer half first, because it may make the other unnecessary.
        if part < 0.5 {
            visit(from: start, to: half, halvings: halvings - 1)
            visit(from: half, to: end, halvings: halvings - 1)
        } else {
            visit(from: half, to: end, halvings: halvings - 1)
            visit(from: start, to: half, halvings: halvings - 1)
        }
    }

    private func chord(to point: Point) -> Double {
        let north = sin((point.latitude - latitude) / 2)
        let east = sin(point.longitude / 2)
        return 2 * (north * north + cosine * point.cosine * east * east).squareRoot()
    }

    /// The ratio of a chord to its angle, 0...2π.
    private static func shortening(_ angle: Double) -> Double {
        angle > 0 ? sin(angle / 2) / (angle / 2) : 1
    }
}
