import Glibc
@_spi(Programs) import LocationModel

/// The plane that touches the ellipsoid of WGS 84 at one point, with axes to the east and the north of that point.
///
/// Positions are projected along the plane's normal, so that there is no place where a degree has no length: at the
/// poles and at the antimeridian it is as anywhere. Within ``reach`` of its point a distance on it is right to a
/// millimetre.
struct LocalPlane {
    /// Metres from its point that a plane is used for.
    static let reach = 2000.0

    /// WGS 84: half the greater axis, metres, and the square of the first eccentricity.
    private static let (a, e²) = (6_378_137.0, 6.694_379_990_141_316e-3)

    private let origin: SIMD3<Double>
    let axes: Axes

    /// The directions at a point, as vectors of length 1 of the Earth-centred system.
    struct Axes {
        let east: SIMD3<Double>
        let north: SIMD3<Double>
        fileprivate let point: SIMD3<Double>

        init(at coordinate: Coordinate) {
            let (φ, λ) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
            let (sinφ, cosφ, sinλ, cosλ) = (sin(φ), cos(φ), sin(λ), cos(λ))
            let n = LocalPlane.a / (1 - LocalPlane.e² * sinφ * sinφ).squareRoot()
            point = SIMD3(n * cosφ * cosλ, n * cosφ * sinλ, n * (1 - LocalPlane.e²) * sinφ)
            east = SIMD3(-sinλ, cosλ, 0)
            north = SIMD3(-sinφ * cosλ, -sinφ * sinλ, cosφ)
        }
    }

    init(at coordinate: Coordinate) {
        axes = Axes(at: coordinate)
        origin = axes.point
    }

    /// Metres to the east and the north of the plane's point.
    func position(of axes: Axes) -> Vector2 {
        let offset = axes.point - origin
        return Vector2((self.axes.east * offset).sum(), (self.axes.north * offset).sum())
    }

    /// Metres to a point, through the Earth.
    func distance(to axes: Axes) -> Double {
        let offset = axes.point - origin
        return (offset * offset).sum().squareRoot()
    }

    /// A vector to the east and north of another point, on this plane's axes: at the poles the directions differ within
    /// metres.
    func vector(_ vector: Vector2, of axes: Axes) -> Vector2 {
        let spatial = axes.east * vector.x + axes.north * vector.y
        return Vector2((self.axes.east * spatial).sum(), (self.axes.north * spatial).sum())
    }

    /// What turns a vector of this plane onto the axes of another point.
    func turn(to axes: Axes) -> Matrix2 {
        func turned(_ axis: SIMD3<Double>) -> Vector2 { Vector2((axes.east * axis).sum(), (axes.north * axis).sum()) }
        return Matrix2(turned(self.axes.east), turned(self.axes.north))
    }

    /// A covariance on the axes of another point on those of this plane.
    func covariance(_ covariance: Matrix2, of axes: Axes) -> Matrix2 {
        covariance.turned(by: Matrix2(vector(Vector2(1, 0), of: axes), vector(Vector2(0, 1), of: axes)))
    }

    /// The point of the ellipsoid under a point of the plane; `nil` if that is not finite.
    func coordinate(of position: Vector2) -> Coordinate? {
        let point = origin + axes.east * position.x + axes.north * position.y
        // The latitude of a point near the surface, in one step (Bowring 1976): right to a nanometre here.
        let b = Self.a * (1 - Self.e²).squareRoot()
        let second = Self.e² / (1 - Self.e²)
        let p = hypot(point.x, point.y)
        let θ = atan2(point.z * Self.a, p * b)
        let (s, c) = (sin(θ), cos(θ))
        let φ = atan2(point.z + second * b * s * s * s, p - Self.e² * Self.a * c * c * c)
        return Coordinate(latitude: φ * 180 / .pi, longitude: atan2(point.y, point.x) * 180 / .pi)
    }
}
