/// A latitude on the auxiliary sphere: the reduced latitude β, tan β = (1 − f) tan φ (equation 6).
struct GeodesicLatitude {
    /// sin β.
    var sine: Double
    /// cos β, never quite 0, so that a longitude means something at the poles too.
    var cosine: Double

    /// The reduced latitude of a geographic one, degrees.
    init(degrees: Double) {
        let geographic = GeodesicAngle(degrees: degrees)
        let reduced = GeodesicAngle(
            sine: GeodesicEllipsoid.axisRatio * geographic.sine, cosine: geographic.cosine
        ).normalized
        sine = reduced.sine
        cosine = max(GeodesicAngle.tiny, reduced.cosine)
    }

    /// √(1 + e'² sin² β).
    var stretch: Double { (1 + GeodesicEllipsoid.secondEccentricitySquared * sine * sine).squareRoot() }
}
