import Glibc
import LocationModel

/// Some of space near the unit sphere.
struct Ball: Sendable {
    private(set) var middle = UnitPoint()
    private(set) var radius = 0.0

    /// More than rounding takes away.
    private static let rounding = 1e-14

    init() {}

    /// Holds a side: from its middle to an end it is no farther than along it, where that is longest at the latitude
    /// nearest the equator.
    init(_ side: PolygonSide) {
        let (first, last) = (side.latitude, side.latitude + side.rise)
        let nearest = first * last <= 0 ? 0 : min(first.magnitude, last.magnitude)
        middle = UnitPoint(latitude: side.latitude + side.rise / 2, longitude: side.west + side.span / 2)
        radius = hypot(side.rise, side.span * cos(nearest * .pi / 180)) / 2 * .pi / 180 + Self.rounding
    }

    /// Holds all of them.
    init(around balls: ArraySlice<Ball>) {
        for ball in balls { middle.add(ball.middle, part: 1 / Double(balls.count)) }
        radius = balls.reduce(0) { max($0, $1.middle.distance(to: middle) + $1.radius) } + Self.rounding
    }
}

/// A point in space, in radii of the sphere that has the ellipsoid's latitudes and longitudes.
struct UnitPoint: Sendable {
    private var (x, y, z) = (0.0, 0.0, 0.0)

    init() {}

    /// Degrees.
    init(latitude: Double, longitude: Double) {
        let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
        (x, y, z) = (cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }

    func distance(to other: UnitPoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    mutating func add(_ other: UnitPoint, part: Double) {
        x += other.x * part
        y += other.y * part
        z += other.z * part
    }
}
