import Glibc

/// The direct problem: where a geodesic leads.
enum GeodesicDirect {
    /// The end of the geodesic of so many metres from `first` at the given azimuth.
    static func end(from first: Coordinate, distance: Double, azimuth: GeodesicAngle) -> Coordinate {
        let start = GeodesicLatitude(degrees: GeodesicAngle.coarsened(first.latitude))
        // Equations 5, 10, 11 and 12.
        let sineAtEquator = azimuth.sine * start.cosine
        let cosineAtEquator = GeodesicAngle(sine: azimuth.sine * start.sine, cosine: azimuth.cosine).length
        // Along the equator every point is a node; this one is taken.
        let isEquatorial = start.sine == 0 && azimuth.cosine == 0
        let startCosine = isEquatorial ? 1 : start.cosine * azimuth.cosine
        let startArc = GeodesicAngle(sine: start.sine, cosine: startCosine).normalized
        let startLongitude = GeodesicAngle(sine: sineAtEquator * start.sine, cosine: startCosine)

        // σ₁₂ of s₁₂, by τ: equations 19 to 21.
        let epsilon = GeodesicEllipsoid.expansionParameter(cosineAtEquator: cosineAtEquator)
        let integral = GeodesicIntegral.distance(epsilon)
        let startWave = GeodesicIntegral.sum(integral.waves, at: startArc)
        let tau = distance / (GeodesicEllipsoid.polarRadius * integral.scale)
        let endTau = startArc + GeodesicAngle(radians: startWave + tau)
        let endWave = GeodesicIntegral.sum(GeodesicIntegral.reversedDistance(epsilon), at: endTau)
        let radians = tau + startWave + endWave
        let endArc = startArc + GeodesicAngle(radians: radians)

        // Equations 12 to 14, and 8.
        let sine = cosineAtEquator * endArc.sine
        let cosine = GeodesicAngle(sine: sineAtEquator, cosine: cosineAtEquator * endArc.cosine).length
        let endLongitude = GeodesicAngle(sine: sineAtEquator * endArc.sine, cosine: endArc.cosine)
        let lag = GeodesicIntegral.longitude(epsilon)(from: startArc, to: endArc, radians: radians)
        let longitude = (endLongitude - startLongitude).radians - GeodesicEllipsoid.flattening * sineAtEquator * lag
        let latitude = GeodesicAngle(
            sine: sine, cosine: GeodesicEllipsoid.axisRatio * max(GeodesicAngle.tiny, cosine))
        return Coordinate(
            latitude: latitude.degrees,
            longitude: (first.longitude + longitude * (180 / .pi)).remainder(dividingBy: 360)) ?? first
    }
}
