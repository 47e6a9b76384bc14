import Glibc

/// An angle as its sine and cosine, which keep all their digits where a number of degrees would lose some.
struct GeodesicAngle {
    /// Sine, or something proportional to it until ``normalized``.
    var sine: Double
    /// Cosine, in the same proportion.
    var cosine: Double

    /// So small that its square is barely a normal number: keeps a direction where zero would lose it.
    static var tiny: Double { 0x1p-511 }

    /// An angle by its sine and cosine as they are.
    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// An angle in radians.
    init(radians: Double) {
        self.init(sine: sin(radians), cosine: cos(radians))
    }

    /// An angle within ±360 degrees plus a correction less than its last digit; quarter turns are exact.
    init(degrees: Double, correction: Double = 0) {
        let quarters = (degrees / 90).rounded()
        // Exact, for both are multiples of the last digit of `degrees` and the difference is smaller.
        let rest = Self(radians: Self.coarsened(degrees - 90 * quarters + correction) * (.pi / 180))
        switch Int(quarters) & 3 {
        case 0: self = rest
        case 1: self.init(sine: rest.cosine, cosine: -rest.sine)
        case 2: self.init(sine: -rest.sine, cosine: -rest.cosine)
        default: self.init(sine: -rest.cosine, cosine: rest.sine)
        }
    }

    /// √(sine² + cosine²): 1, unless the two are only in proportion.
    var length: Double { hypot(sine, cosine) }

    /// The same direction at unit length.
    var normalized: GeodesicAngle {
        let length = length
        return GeodesicAngle(sine: sine / length, cosine: cosine / length)
    }

    /// The angle within ±π.
    var radians: Double { atan2(sine, cosine) }

    /// The angle within ±180 degrees.
    var degrees: Double { atan2(sine, cosine) * (180 / .pi) }

    /// The sum of two angles, by the addition theorems.
    static func + (lhs: GeodesicAngle, rhs: GeodesicAngle) -> GeodesicAngle {
        GeodesicAngle(
            sine: lhs.sine * rhs.cosine + lhs.cosine * rhs.sine,
            cosine: lhs.cosine * rhs.cosine - lhs.sine * rhs.sine)
    }

    /// The difference of two angles, by the addition theorems.
    static func - (lhs: GeodesicAngle, rhs: GeodesicAngle) -> GeodesicAngle {
        GeodesicAngle(
            sine: lhs.sine * rhs.cosine - lhs.cosine * rhs.sine,
            cosine: lhs.cosine * rhs.cosine + lhs.sine * rhs.sine)
    }

    /// This angle less `start`, for a difference of 0...π that rounding may have moved out of that range.
    func past(_ start: GeodesicAngle) -> GeodesicAngle {
        let difference = self - start
        // A comparison, for `max` lets the -0 through that turns π into -π.
        return GeodesicAngle(sine: difference.sine > 0 ? difference.sine : 0, cosine: difference.cosine)
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
