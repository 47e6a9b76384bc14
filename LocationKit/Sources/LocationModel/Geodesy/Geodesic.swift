import Glibc

/// The ellipsoid of WGS 84, on which geodesics are computed after C. F. F. Karney, "Algorithms for geodesics", Journal
/// of Geodesy 87 (2013), 43–55, <https://doi.org/10.1007/s00190-012-0578-z>: "the paper" in what follows.
///
/// Equations are named by the paper's numbers, and its letters are used. At the two ends of a geodesic, with the index
/// 1 and 2, and between them, with 12:
///
/// | | |
/// |---|---|
/// | φ, λ | geographic latitude and longitude |
/// | α | azimuth, clockwise from north; α₀ is that at the northward crossing of the equator |
/// | s | distance from the crossing of the equator |
/// | m | reduced length: how far a geodesic with another α₁ is aside |
/// | β, ω, σ | on the auxiliary sphere: reduced latitude, longitude, arc from the crossing of the equator |
/// | k, ε | the parameters of the series, which depend on α₀ |
///
/// The constants are computed properties so that the compiler folds whatever is made of them.
@_spi(Programs) public enum WGS84 {
    /// Semi-major axis, metres.
    @_spi(Programs) public static var a: Double { 6_378_137 }
    /// Flattening. Equation 1.
    @_spi(Programs) public static var f: Double { 1 / 298.257_223_563 }
    /// Semi-minor axis, metres.
    @_spi(Programs) public static var b: Double { a * (1 - f) }
    /// Third flattening. Equation 2.
    static var n: Double { f / (2 - f) }
    /// e′², the square of the second eccentricity. Equations 3 and 4.
    static var secondEccentricitySquared: Double { f * (2 - f) / ((1 - f) * (1 - f)) }
}

/// A position on the ellipsoid: geodetic latitude and longitude.
@_spi(Programs) public struct GeodeticPoint: Sendable, Hashable {
    /// φ, degrees, -90...90.
    @_spi(Programs) public var latitude: Double
    /// λ, degrees, -180...180.
    @_spi(Programs) public var longitude: Double

    /// The numbers are not checked; outside their ranges the results are undefined.
    @_spi(Programs) public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// An angle as its sine and cosine, which keep all their digits where a number of degrees would lose some.
@_spi(Programs) public struct GeodesicAngle: Sendable {
    /// Sine, or something proportional to it until ``normalized``.
    @_spi(Programs) public var sin: Double
    /// Cosine, in the same proportion.
    @_spi(Programs) public var cos: Double

    /// So small that its square is barely a normal number: used in place of zero where a direction must be preserved.
    static var tiny: Double { 0x1p-511 }

    /// An angle by its sine and cosine as they are.
    @_spi(Programs) public init(sin: Double, cos: Double) {
        self.sin = sin
        self.cos = cos
    }

    /// An angle in radians.
    @_spi(Programs) public init(radians: Double) {
        self.init(sin: Glibc.sin(radians), cos: Glibc.cos(radians))
    }

    /// An angle within ±360 degrees plus a correction less than its last digit; quarter turns are exact.
    @_spi(Programs) public init(degrees: Double, correction: Double = 0) {
        let quarters = (degrees / 90).rounded()
        // Exact, for both are multiples of the last digit of `degrees` and the difference is smaller.
        let rest = Self(radians: Self.coarsened(degrees - 90 * quarters + correction) * (.pi / 180))
        switch Int(quarters) & 3 {
        case 0: self = rest
        case 1: self.init(sin: rest.cos, cos: -rest.sin)
        case 2: self.init(sin: -rest.sin, cos: -rest.cos)
        default: self.init(sin: -rest.cos, cos: rest.sin)
        }
    }

    /// √(sin² + cos²): 1, unless the two are only in proportion.
    @_spi(Programs) public var length: Double { hypot(sin, cos) }

    /// The same direction at unit length.
    var normalized: GeodesicAngle {
        let length = length
        return GeodesicAngle(sin: sin / length, cos: cos / length)
    }

    /// The angle within ±π: ph(cos + i sin).
    var radians: Double { atan2(sin, cos) }

    /// The angle within ±180 degrees.
    @_spi(Programs) public var degrees: Double { atan2(sin, cos) * (180 / .pi) }

    /// The sum of two angles, by the addition theorems.
    static func + (lhs: GeodesicAngle, rhs: GeodesicAngle) -> GeodesicAngle {
        GeodesicAngle(sin: lhs.sin * rhs.cos + lhs.cos * rhs.sin, cos: lhs.cos * rhs.cos - lhs.sin * rhs.sin)
    }

    /// The difference of two angles, by the addition theorems.
    static func - (lhs: GeodesicAngle, rhs: GeodesicAngle) -> GeodesicAngle {
        GeodesicAngle(sin: lhs.sin * rhs.cos - lhs.cos * rhs.sin, cos: lhs.cos * rhs.cos + lhs.sin * rhs.sin)
    }

    /// This angle less `start`, for a difference of 0...π that rounding may have moved out of that range.
    func past(_ start: GeodesicAngle) -> GeodesicAngle {
        let difference = self - start
        // A comparison, for `max` lets the -0 through that turns π into -π.
        return GeodesicAngle(sin: difference.sin > 0 ? difference.sin : 0, cos: difference.cos)
    }

    /// The number of degrees, rounded to a multiple of 2⁻⁵⁷ (less than a picometre on the ground) if it is near zero.
    ///
    /// Angles so small that their products would underflow become zero.
    static func coarsened(_ degrees: Double) -> Double {
        let magnitude = degrees.magnitude
        guard magnitude < 0.0625 else { return degrees }
        return Double(signOf: degrees, magnitudeOf: 0.0625 - (0.0625 - magnitude))
    }
}

/// A latitude on the auxiliary sphere: the reduced latitude β, tan β = (1 − f) tan φ (equation 6).
struct ReducedLatitude {
    /// sin β.
    var sin: Double
    /// cos β, never quite 0, so that a longitude means something at the poles too.
    var cos: Double

    /// β of φ, degrees.
    init(degrees: Double) {
        let φ = GeodesicAngle(degrees: degrees)
        let β = GeodesicAngle(sin: (1 - WGS84.f) * φ.sin, cos: φ.cos).normalized
        sin = β.sin
        cos = max(GeodesicAngle.tiny, β.cos)
    }

    /// (1/b) ds/dσ = √(1 + k² sin² σ), by equations 7, 9 and 13, of any geodesic there: √(1 + e′² sin² β).
    var dsdσ: Double { (1 + WGS84.secondEccentricitySquared * sin * sin).squareRoot() }
}
