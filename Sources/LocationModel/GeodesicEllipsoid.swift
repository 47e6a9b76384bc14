/// The ellipsoid of WGS 84 and what geodesics on it need.
///
/// Geodesics are computed after C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43–55,
/// <https://doi.org/10.1007/s00190-012-0578-z>, "the paper" in what follows. Equations are named by its numbers, and
/// its letters are used: φ latitude, β reduced latitude, λ longitude, α azimuth, σ arc length and ω longitude on the
/// auxiliary sphere, k² and ε the parameters of the series. The azimuth at the equator is α₀.
///
/// The constants are computed properties so that the compiler folds whatever is made of them.
enum GeodesicEllipsoid {
    /// Semi-major axis a, metres.
    static var equatorialRadius: Double { 6_378_137 }
    /// Flattening f.
    static var flattening: Double { 1 / 298.257_223_563 }
    /// b / a = 1 − f.
    static var axisRatio: Double { 1 - flattening }
    /// Semi-minor axis b, metres.
    static var polarRadius: Double { equatorialRadius * axisRatio }
    /// n = f / (2 − f).
    static var thirdFlattening: Double { flattening / (2 - flattening) }
    /// e'² = f (2 − f) / (1 − f)².
    static var secondEccentricitySquared: Double { flattening * (2 - flattening) / (axisRatio * axisRatio) }

    /// ε of the geodesic with the given cos α₀, by equations 9 and 16, the latter written so that no digits cancel.
    static func expansionParameter(cosineAtEquator: Double) -> Double {
        let kSquared = cosineAtEquator * cosineAtEquator * secondEccentricitySquared
        return kSquared / (2 * (1 + (1 + kSquared).squareRoot()) + kSquared)
    }
}
