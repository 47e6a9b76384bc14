/// The inverse problem: the shortest geodesic between two positions.
///
/// Its error is some nanometres everywhere, near the antipodes too.
struct GeodesicInverse {
    /// s₁₂, metres.
    let distance: Double
    /// The direction in which the geodesic leaves the first position, clockwise from north.
    ///
    /// Of several shortest geodesics, one; without meaning if the distance is 0.
    let azimuth: GeodesicAngle

    /// Solves the problem for two positions.
    init(from first: Coordinate, to second: Coordinate) {
        let problem = GeodesicProblem(from: first, to: second)
        if let meridian = Self.meridian(problem) {
            distance = meridian
            azimuth = problem.azimuth(problem.longitude, GeodesicAngle(sine: 0, cosine: 1))
        } else if problem.start.sine == 0, problem.supplement >= 180 * GeodesicEllipsoid.flattening {
            // Along the equator, while that is the shortest way.
            distance = GeodesicEllipsoid.equatorialRadius * problem.radians
            let east = GeodesicAngle(sine: 1, cosine: 0)
            azimuth = problem.azimuth(east, east)
        } else {
            switch GeodesicGuess(problem) {
            case .answer(let start, let end, let distance):
                self.distance = distance
                azimuth = problem.azimuth(start, end)
            case .azimuth(let guess):
                let (start, geodesic) = GeodesicSearch.solve(problem, from: guess)
                distance = geodesic.arc.length * GeodesicEllipsoid.polarRadius
                azimuth = problem.azimuth(start, geodesic.endAzimuth)
            }
        }
    }

    /// The way along the meridians, over a pole if need be, metres.
    ///
    /// On an ellipsoid flattened at the poles no other is shorter.
    /// - Returns: `nil` if the points do not lie on one meridian, or on two that make a circle.
    private static func meridian(_ problem: GeodesicProblem) -> Double? {
        guard problem.startsAtPole || problem.longitude.sine == 0 else { return nil }
        let (first, second) = (problem.start, problem.end)
        let arc = GeodesicArc(
            from: GeodesicAngle(sine: first.sine, cosine: problem.longitude.cosine * first.cosine),
            to: GeodesicAngle(sine: second.sine, cosine: second.cosine),
            epsilon: GeodesicEllipsoid.expansionParameter(cosineAtEquator: 1))
        // What is left of a pole's longitudes is no distance.
        guard arc.radians > 3 * GeodesicAngle.tiny else { return 0 }
        return max(0, arc.length) * GeodesicEllipsoid.polarRadius
    }
}
