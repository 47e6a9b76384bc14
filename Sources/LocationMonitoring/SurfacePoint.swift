import Glibc
import LocationModel

/// A position as a point in space, whose arithmetic needs no care at the antimeridian or the poles.
///
/// Earth-centred and Earth-fixed, metres; ellipsoid WGS 84. It costs a hundredth of the exact geodesic.
struct SurfacePoint: Sendable, Hashable {
    private var x: Double
    private var y: Double
    private var z: Double

    private static let semiMajorAxis = 6_378_137.0
    private static let eccentricitySquared = 6.694_379_990_14e-3
    private static let meanRadius = 6_371_008.8

    init(_ coordinate: Coordinate) {
        let latitude = coordinate.latitude * .pi / 180
        let longitude = coordinate.longitude * .pi / 180
        let (sine, cosine) = (sin(latitude), cos(latitude))
        let curvatureRadius = Self.semiMajorAxis / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        x = curvatureRadius * cosine * cos(longitude)
        y = curvatureRadius * cosine * sin(longitude)
        z = curvatureRadius * (1 - Self.eccentricitySquared) * sine
    }

    /// The position; that of the surface above, for the middle of some points lies a little beneath it.
    ///
    /// - Returns: `nil` for the middle of the Earth, and where the numbers are none.
    var coordinate: Coordinate? {
        let fromAxis = hypot(x, y)
        guard fromAxis > 1 || abs(z) > 1 else { return nil }
        let latitude = atan2(z, (1 - Self.eccentricitySquared) * fromAxis) * 180 / .pi
        // π has no exact Double: a rounding error must not leave the range.
        return Coordinate(
            latitude: max(-90, min(90, latitude)), longitude: max(-180, min(180, atan2(y, x) * 180 / .pi)))
    }

    /// Metres over the surface: exact within a millimetre up to 10 km and within 20 m up to 1000 km, too little beyond.
    func distance(to other: SurfacePoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        let squared = dx * dx + dy * dy + dz * dz
        return squared.squareRoot() * (1 + squared / (24 * Self.meanRadius * Self.meanRadius))
    }

    /// The point so much of the way to another.
    func moved(by fraction: Double, towards other: SurfacePoint) -> SurfacePoint {
        var point = self
        point.x += (other.x - x) * fraction
        point.y += (other.y - y) * fraction
        point.z += (other.z - z) * fraction
        return point
    }
}

extension Location {
    /// Radius of the circle that holds the position, metres; `assumed` if the receiver does not tell it.
    func uncertainty(assumed: Double) -> Double { horizontalAccuracy.map { max(0, $0) } ?? assumed }
}
