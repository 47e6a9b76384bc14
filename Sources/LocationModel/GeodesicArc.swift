/// A piece of a geodesic, as an arc of a great circle on the auxiliary sphere.
struct GeodesicArc {
    /// σ₁, from the equator crossing to the start.
    let start: GeodesicAngle
    /// σ₂, from the equator crossing to the end.
    let end: GeodesicAngle
    /// σ₁₂, 0...π.
    let radians: Double
    /// The geodesic's ε.
    let epsilon: Double

    /// An arc from one point to the next, at most half a turn further.
    init(from start: GeodesicAngle, to end: GeodesicAngle, epsilon: Double) {
        self.start = start
        self.end = end
        self.epsilon = epsilon
        radians = end.past(start).radians
    }

    /// s₁₂ / b, the distance along the ellipsoid. Equation 7.
    var length: Double {
        GeodesicIntegral.distance(epsilon)(from: start, to: end, radians: radians)
    }

    /// m₁₂ / b, how far neighbouring geodesics from the start have spread at the end. Equations 38 and 40.
    ///
    /// It is negative beyond the first conjugate point, where a geodesic is no longer the shortest way.
    func reducedLength(from first: GeodesicLatitude, to second: GeodesicLatitude) -> Double {
        let spread = length - GeodesicIntegral.reducedLength(epsilon)(from: start, to: end, radians: radians)
        return second.stretch * (start.cosine * end.sine) - first.stretch * (start.sine * end.cosine)
            - start.cosine * end.cosine * spread
    }
}
