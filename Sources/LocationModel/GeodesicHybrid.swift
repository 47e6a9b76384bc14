/// The geodesic that leaves the start of a problem at a given azimuth and ends at the latitude of its end.
///
/// It is the right one if it also ends at the right longitude (section 4 of the paper, "hybrid problem").
struct GeodesicHybrid {
    /// α₂, at the end, northward or due east.
    let endAzimuth: GeodesicAngle
    /// The geodesic between the latitudes.
    let arc: GeodesicArc
    /// λ₁₂ of this geodesic minus that of the problem, radians; rises with the azimuth.
    let mismatch: Double

    private let problem: GeodesicProblem

    /// Follows the geodesic with α₁ = `azimuth`, 0...180°.
    init(_ problem: GeodesicProblem, azimuth: GeodesicAngle) {
        let (first, second) = (problem.start, problem.end)
        var azimuth = azimuth
        // The limit for an azimuth of 90° at the equator, where the node is undefined.
        if first.sine == 0, azimuth.cosine == 0 { azimuth.cosine = -GeodesicAngle.tiny }

        // Equation 5, Clairaut's relation, and the cosine in the form that keeps its digits.
        let sineAtEquator = azimuth.sine * first.cosine
        let cosineAtEquator = GeodesicAngle(sine: azimuth.sine * first.sine, cosine: azimuth.cosine).length
        endAzimuth = Self.endAzimuth(first, second, azimuth: azimuth, sineAtEquator: sineAtEquator)

        // Equations 11 and 12.
        let start = GeodesicAngle(sine: first.sine, cosine: azimuth.cosine * first.cosine)
        let end = GeodesicAngle(sine: second.sine, cosine: endAzimuth.cosine * second.cosine)
        let epsilon = GeodesicEllipsoid.expansionParameter(cosineAtEquator: cosineAtEquator)
        arc = GeodesicArc(from: start.normalized, to: end.normalized, epsilon: epsilon)

        let spherical = GeodesicAngle(sine: sineAtEquator * end.sine, cosine: end.cosine)
            .past(GeodesicAngle(sine: sineAtEquator * start.sine, cosine: start.cosine))
        let lag = GeodesicIntegral.longitude(epsilon)(from: arc.start, to: arc.end, radians: arc.radians)
        mismatch = (spherical - problem.longitude).radians - GeodesicEllipsoid.flattening * sineAtEquator * lag
        self.problem = problem
    }

    /// dλ₁₂ / dα₁, equation 46, with its limit where both points have the greatest latitude of the geodesic.
    var slope: Double {
        let ratio = GeodesicEllipsoid.axisRatio
        guard endAzimuth.cosine != 0 else { return -2 * ratio * problem.start.stretch / problem.start.sine }
        return arc.reducedLength(from: problem.start, to: problem.end) * ratio
            / (endAzimuth.cosine * problem.end.cosine)
    }

    /// α₂ by Clairaut's relation and equation 45, with differences of squares where squares would cancel.
    private static func endAzimuth(
        _ first: GeodesicLatitude, _ second: GeodesicLatitude, azimuth: GeodesicAngle, sineAtEquator: Double
    ) -> GeodesicAngle {
        let sine = second.cosine == first.cosine ? azimuth.sine : sineAtEquator / second.cosine
        guard second.cosine != first.cosine || second.sine.magnitude != -first.sine else {
            return GeodesicAngle(sine: sine, cosine: azimuth.cosine.magnitude)
        }
        let difference =
            first.cosine < -first.sine
            ? (second.cosine - first.cosine) * (first.cosine + second.cosine)
            : (first.sine - second.sine) * (first.sine + second.sine)
        let northing = azimuth.cosine * first.cosine
        return GeodesicAngle(
            sine: sine, cosine: max(0, northing * northing + difference).squareRoot() / second.cosine)
    }
}
