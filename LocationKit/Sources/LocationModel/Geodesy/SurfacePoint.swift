import Glibc

/// A position as a point in space, where the antimeridian and the poles need no special treatment.
///
/// Earth-centred and Earth-fixed, metres; ellipsoid WGS 84. It costs a hundredth of the exact geodesic.
@_spi(Programs) public struct SurfacePoint: Sendable, Hashable {
    private var x: Double
    private var y: Double
    private var z: Double

    private static let semiMajorAxis = 6_378_137.0
    private static let eccentricitySquared = 6.694_379_990_14e-3
    private static let meanRadius = 6_371_008.8

    @_spi(Programs) public init(_ point: GeodeticPoint) {
        let latitude = point.latitude * .pi / 180
        let longitude = point.longitude * .pi / 180
        let (sine, cosine) = (sin(latitude), cos(latitude))
        let curvatureRadius = Self.semiMajorAxis / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
        x = curvatureRadius * cosine * cos(longitude)
        y = curvatureRadius * cosine * sin(longitude)
        z = curvatureRadius * (1 - Self.eccentricitySquared) * sine
    }

    /// The position of the surface point above this one, which may lie a little beneath the surface if it is the mean
    /// of several points.
    ///
    /// - Returns: `nil` for the centre of the Earth, and for numbers that are not finite.
    @_spi(Programs) public var geodetic: GeodeticPoint? {
        let fromAxis = hypot(x, y)
        guard fromAxis > 1 || abs(z) > 1 else { return nil }
        let latitude = atan2(z, (1 - Self.eccentricitySquared) * fromAxis) * 180 / .pi
        // π has no exact Double: a rounding error must not leave the range.
        return GeodeticPoint(
            latitude: max(-90, min(90, latitude)), longitude: max(-180, min(180, atan2(y, x) * 180 / .pi)))
    }

    /// Metres over the surface: exact within a millimetre up to 10 km and within 20 m up to 1000 km, too small beyond.
    @_spi(Programs) public func distance(to other: SurfacePoint) -> Double {
        let squared = chordSquared(to: other)
        return squared.squareRoot() * (1 + squared / (24 * Self.meanRadius * Self.meanRadius))
    }

    private func chordSquared(to other: SurfacePoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }

    /// Bounds of the shortest distance over the surface, metres.
    ///
    /// It is no shorter than the chord. As the surface is nowhere more curved than a circle of radius r = b² / a, it
    /// is, by Schur's comparison theorem, no longer than that circle's arc over the same chord, 2r asin(c / 2r), if it
    /// is no longer than half of the circle; only nearly antipodal points are farther apart, and they have longer
    /// chords.
    @_spi(Programs) public func way(to other: SurfacePoint) -> DistanceRange {
        let squared = chordSquared(to: other)
        let chord = squared.squareRoot()
        guard chord < 1e7 else { return DistanceRange(chord - Self.rounding, Self.longestWay) }
        let half = chord / (2 * Self.tightestRadius)
        // Below 0.1, asin x < x + 0.17 x³.
        let longest = half < 0.1 ? chord * (1 + 0.17 * half * half) : 2 * Self.tightestRadius * asin(half)
        return DistanceRange(max(0, chord - Self.rounding), longest + Self.rounding)
    }

    /// b² / a, rounded down, metres.
    static let tightestRadius = 6_335_439.0
    /// Metres: more than half of a meridian.
    private static let longestWay = 20_004_000.0
    /// Metres: exceeds the rounding errors of a chord and of an exact geodesic.
    private static let rounding = 0.001

    /// The point at the given fraction of the straight line to another.
    @_spi(Programs) public func moved(by fraction: Double, towards other: SurfacePoint) -> SurfacePoint {
        var point = self
        point.x += (other.x - x) * fraction
        point.y += (other.y - y) * fraction
        point.z += (other.z - z) * fraction
        return point
    }
}

/// A range in which a distance lies, metres.
@_spi(Programs) public struct DistanceRange: Sendable, Hashable {
    @_spi(Programs) public let least: Double
    @_spi(Programs) public let most: Double

    @_spi(Programs) public init(_ least: Double, _ most: Double) { (self.least, self.most) = (least, most) }

    /// The range of an exactly known distance.
    @_spi(Programs) public init(_ distance: Double) { self.init(distance, distance) }

    /// The range of an unknown distance.
    @_spi(Programs) public static let any = DistanceRange(-.infinity, .infinity)

    /// The range of the absolute value.
    @_spi(Programs) public var magnitude: DistanceRange {
        if least >= 0 { return self }
        return most <= 0 ? DistanceRange(-most, -least) : DistanceRange(0, max(-least, most))
    }
}
