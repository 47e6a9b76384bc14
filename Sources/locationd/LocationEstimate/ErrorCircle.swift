import Glibc
@_spi(Programs) import LocationModel

/// What a covariance of two dimensions says of an error.
struct ErrorCircle {
    /// The greater and the lesser variance, square metres.
    let variances: (major: Double, minor: Double)
    /// Radians clockwise from north, of the greater one.
    private let direction: Double

    init(_ covariance: Matrix2) {
        let (east, north) = (covariance.columns.east.x, covariance.columns.north.y)
        let mixed = covariance.columns.north.x
        let (mean, half) = ((east + north) / 2, hypot((north - east) / 2, mixed))
        variances = (max(0, mean + half), max(0, mean - half))
        direction = atan2(2 * mixed, north - east) / 2
    }

    /// The quantile of the standard normal distribution for 68 %.
    private static let quantile = 0.467_698_799

    /// The radius of the circle around the mean that holds 68 % of a normal distribution, metres.
    ///
    /// The squared distance is a sum of two weighted χ² variables, for which a multiple of one χ² with the same mean
    /// and variance stands (Satterthwaite 1946), whose cube root is nearly normal (Wilson and Hilferty 1931). Off by
    /// less than half a percent: the exact radius of a circular distribution is 1.5096 σ, and 0.9945 σ of one along a
    /// line.
    var radius: Double {
        let (a, b) = variances
        let sum = a + b
        guard sum > 0 else { return 0 }
        let freedom = sum * sum / (a * a + b * b)
        let spread = 2 / (9 * freedom)
        let root = 1 - spread + Self.quantile * spread.squareRoot()
        return (sum * root * root * root).squareRoot()
    }

    /// The standard deviations.
    var ellipse: ErrorEllipse? {
        ErrorEllipse(
            semiMajorAxis: variances.major.squareRoot(), semiMinorAxis: variances.minor.squareRoot(),
            orientation: direction * 180 / .pi, isStandardDeviation: true)
    }

    /// σ of a circular normal distribution, for the radius that holds this part of it.
    static func deviation(ofRadius radius: Double, holding part: Double) -> Double {
        radius / (-2 * log(1 - part)).squareRoot()
    }
}
