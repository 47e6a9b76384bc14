/// The search for the azimuth at which a geodesic meets both points: Newton's method within a shrinking bracket.
///
/// Newton's steps converge in two to four turns from a good guess. A step out of the bracket's half-turn, or too many
/// of them, gives way to bisection, so that the search ends after ``limit`` turns at the latest.
struct GeodesicSearch {
    /// Turns after which only bisection is tried.
    private static let newtonLimit = 20
    /// Turns after which the best is good enough: bisection has spent all bits of a double by then.
    private static let limit = newtonLimit + Double.significandBitCount + 11

    /// Where λ₁₂ is too small, beginning due north.
    private var below = GeodesicAngle(sine: GeodesicAngle.tiny, cosine: 1)
    /// Where λ₁₂ is too great, beginning due south.
    private var above = GeodesicAngle(sine: GeodesicAngle.tiny, cosine: -1)
    /// α₁ to try next.
    private var azimuth: GeodesicAngle

    private init(from guess: GeodesicAngle) {
        azimuth = guess
    }

    /// α₁ and the geodesic it belongs to.
    static func solve(
        _ problem: GeodesicProblem, from guess: GeodesicAngle
    ) -> (azimuth: GeodesicAngle, geodesic: GeodesicHybrid) {
        var search = GeodesicSearch(from: guess)
        var tolerance = Double.ulpOfOne
        var isBracketSpent = false
        for turn in 0..<limit {
            let geodesic = GeodesicHybrid(problem, azimuth: search.azimuth)
            // Not a number ends the search too.
            if isBracketSpent || !(geodesic.mismatch.magnitude >= tolerance) { return (search.azimuth, geodesic) }
            search.tighten(geodesic.mismatch, always: turn > newtonLimit)
            if turn < newtonLimit, search.step(mismatch: geodesic.mismatch, slope: geodesic.slope) {
                // Quadratic convergence: the step just taken is the last but for rounding.
                let isNear = geodesic.mismatch.magnitude <= 16 * Double.ulpOfOne
                tolerance = (isNear ? 8 : 1) * Double.ulpOfOne
            } else {
                isBracketSpent = search.bisect()
                tolerance = Double.ulpOfOne
            }
        }
        return (search.azimuth, GeodesicHybrid(problem, azimuth: search.azimuth))
    }

    /// Makes the azimuth just tried an end of the bracket if it lies within.
    private mutating func tighten(_ mismatch: Double, always: Bool) {
        let cotangent = azimuth.cosine / azimuth.sine
        if mismatch > 0, always || cotangent > above.cosine / above.sine {
            above = azimuth
        } else if mismatch < 0, always || cotangent < below.cosine / below.sine {
            below = azimuth
        }
    }

    /// Newton's step.
    /// - Returns: false, nothing done, if it would leave 0...180°.
    private mutating func step(mismatch: Double, slope: Double) -> Bool {
        guard slope > 0 else { return false }
        let change = -mismatch / slope
        guard change.magnitude < .pi else { return false }
        let stepped = azimuth + GeodesicAngle(radians: change)
        guard stepped.sine > 0 else { return false }
        azimuth = stepped.normalized
        return true
    }

    /// Goes on from the middle of the bracket.
    /// - Returns: true if the bracket cannot shrink any more.
    private mutating func bisect() -> Bool {
        azimuth =
            GeodesicAngle(sine: (below.sine + above.sine) / 2, cosine: (below.cosine + above.cosine) / 2).normalized
        func isSpent(_ end: GeodesicAngle) -> Bool {
            (end.sine - azimuth.sine).magnitude + (end.cosine - azimuth.cosine).magnitude < Double.ulpOfOne
        }
        return isSpent(below) || isSpent(above)
    }
}
