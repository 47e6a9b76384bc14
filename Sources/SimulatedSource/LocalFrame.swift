import Glibc
import LocationModel

/// East, north and up at a place, as directions in space: a flat map of the surroundings that is exact at the poles
/// and at the antimeridian.
///
/// Space is Earth-centred and Earth-fixed, in metres. Ellipsoid: WGS 84. Lengths on the map are right to a few
/// millionths within 10 km.
struct LocalFrame: Sendable {
    let origin: SIMD3<Double>
    let east: SIMD3<Double>
    let north: SIMD3<Double>
    let up: SIMD3<Double>

    private static let semiMajorAxis = 6_378_137.0
    private static let semiMinorAxis = 6_356_752.314_245
    private static let eccentricitySquared = 6.694_379_990_14e-3

    init(at coordinate: Coordinate) {
        let latitude = coordinate.latitude * .pi / 180
        let longitude = coordinate.longitude * .pi / 180
        let (sine, cosine) = (sin(latitude), cos(latitude))
        let curvatureRadius = Self.semiMajorAxis / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        east = SIMD3(-sin(longitude), cos(longitude), 0)
        north = SIMD3(-sine * cos(longitude), -sine * sin(longitude), cosine)
        up = SIMD3(cosine * cos(longitude), cosine * sin(longitude), sine)
        origin = curvatureRadius * SIMD3(up.x, up.y, up.z * (1 - Self.eccentricitySquared))
    }

    /// The coordinate so many metres east and north of the origin.
    func coordinate(east metresEast: Double, north metresNorth: Double) -> Coordinate? {
        // Bowring (1976): one step is good to a fraction of a millimetre near the surface.
        let point = origin + metresEast * east + metresNorth * north
        let fromAxis = hypot(point.x, point.y)
        let parametric = atan2(point.z * Self.semiMajorAxis, fromAxis * Self.semiMinorAxis)
        let (sine, cosine) = (sin(parametric), cos(parametric))
        let secondEccentricitySquared = Self.eccentricitySquared / (1 - Self.eccentricitySquared)
        let latitude = atan2(
            point.z + secondEccentricitySquared * Self.semiMinorAxis * sine * sine * sine,
            fromAxis - Self.eccentricitySquared * Self.semiMajorAxis * cosine * cosine * cosine)
        let longitude = atan2(point.y, point.x)
        // π has no exact Double: a rounding error must not leave the range.
        return Coordinate(
            latitude: max(-90, min(90, latitude * 180 / .pi)), longitude: max(-180, min(180, longitude * 180 / .pi)))
    }

    /// A bearing on this map, as a direction in space; both in the sense of a compass, degrees.
    func direction(bearing: Double) -> SIMD3<Double> {
        sin(bearing * .pi / 180) * east + cos(bearing * .pi / 180) * north
    }

    /// The bearing at this place of a direction in space, degrees, 0..<360.
    func bearing(of direction: SIMD3<Double>) -> Double {
        let degrees = atan2((direction * east).sum(), (direction * north).sum()) * 180 / .pi
        let positive = degrees < 0 ? degrees + 360 : degrees
        return positive < 360 ? positive : 0
    }
}
