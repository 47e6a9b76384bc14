import Glibc

/// The starting point of the search for the azimuth or, for the shortest lines, the answer. Section 5 of the paper.
enum StartingPoint {
    /// So short that the sphere's answer is exact: s₁₂ in metres.
    case answer(α₁: GeodesicAngle, α₂: GeodesicAngle, s₁₂: Double)
    /// α₁ to begin with.
    case azimuth(GeodesicAngle)

    /// For lines shorter than this many radians, some 0.2 m, the difference from the sphere is less than rounding.
    private static var shortEnough: Double {
        let f = WGS84.f
        return 0.1 * Double.ulpOfOne.squareRoot() / (f * (1 - f / 2) / 2).squareRoot()
    }

    /// By a sphere of the mean radius there, or by the astroid if the points are nearly antipodal.
    init(_ problem: InverseProblem) {
        let (β₁, β₂) = (problem.β₁, problem.β₂)
        let sinβ₁₂ = β₂.sin * β₁.cos - β₂.cos * β₁.sin
        let cosβ₁₂ = β₂.cos * β₁.cos + β₂.sin * β₁.sin
        let isShort = cosβ₁₂ >= 0 && sinβ₁₂ < 0.5 && β₂.cos * problem.λ₁₂Radians < 0.5

        // Equation 48: ω₁₂ for λ₁₂ at the mean latitude; ds/dσ is there as in equation 7.
        var (ω₁₂, dsdσ) = (problem.λ₁₂, 1.0)
        if isShort {
            let (sine, cosine) = (β₁.sin + β₂.sin, β₁.cos + β₂.cos)
            let squaredSine = sine * sine / (sine * sine + cosine * cosine)
            dsdσ = (1 + WGS84.secondEccentricitySquared * squaredSine).squareRoot()
            ω₁₂ = GeodesicAngle(radians: problem.λ₁₂Radians / ((1 - WGS84.f) * dsdσ))
        }
        // Equations 49 to 51.
        let z₁ = Self.z₁(β₁, β₂, ω₁₂: ω₁₂)
        let σ₁₂ = GeodesicAngle(sin: z₁.length, cos: β₁.sin * β₂.sin + β₁.cos * β₂.cos * ω₁₂.cos)
        if isShort, σ₁₂.sin < Self.shortEnough {
            let z₂ = GeodesicAngle(
                sin: β₁.cos * ω₁₂.sin, cos: sinβ₁₂ - β₁.cos * β₂.sin * Self.versine(ω₁₂))
            self = .answer(α₁: z₁.normalized, α₂: z₂.normalized, s₁₂: σ₁₂.radians * WGS84.b * dsdσ)
        } else if σ₁₂.cos >= 0 || σ₁₂.sin >= 6 * WGS84.n * .pi * β₁.cos * β₁.cos {
            self = .azimuth(Self.usable(z₁))
        } else {
            self = .azimuth(Self.usable(Self.nearAntipodes(problem)))
        }
    }

    /// α₁ on the sphere, not normalized: its length is sin σ₁₂. Equation 49.
    private static func z₁(_ β₁: ReducedLatitude, _ β₂: ReducedLatitude, ω₁₂: GeodesicAngle) -> GeodesicAngle {
        let (north, south) = (β₂.sin * β₁.cos, β₂.cos * β₁.sin)
        let squaredSine = ω₁₂.sin * ω₁₂.sin
        return GeodesicAngle(
            sin: β₂.cos * ω₁₂.sin,
            cos: ω₁₂.cos >= 0
                ? north - south + south * squaredSine / (1 + ω₁₂.cos)
                : north + south - south * squaredSine / (1 - ω₁₂.cos))
    }

    /// α₁ from the place of the end among the geodesics near the antipode of the start (equations 53, 56 and 57).
    private static func nearAntipodes(_ problem: InverseProblem) -> GeodesicAngle {
        let (β₁, β₂, λ₁₂) = (problem.β₁, problem.β₂, problem.λ₁₂)
        let ε = GeodesicSeries.ε(cosα₀: β₁.sin)
        let scale = WGS84.f * β₁.cos * GeodesicSeries.A₃(ε) * .pi
        let sum = β₂.sin * β₁.cos + β₂.cos * β₁.sin
        let x = atan2(-λ₁₂.sin, -λ₁₂.cos) / scale
        let y = sum / (scale * β₁.cos)
        // Near the cut locus' branch on the antipodal parallel, where y is all rounding.
        if y > -200 * Double.ulpOfOne, x > -1 - 1000 * Double.ulpOfOne.squareRoot() {
            let sine = min(1, -x)
            return GeodesicAngle(sin: sine, cos: -(1 - sine * sine).squareRoot())
        }
        let κ = κ(x: x, y: y)
        let fromAntipode = GeodesicAngle(radians: -scale * x * κ / (1 + κ))
        return z₁(β₁, β₂, ω₁₂: GeodesicAngle(sin: fromAntipode.sin, cos: -fromAntipode.cos))
    }

    /// The astroid problem, for geodesics near the antipodes all but touch an astroid: the positive root of
    /// κ⁴ + 2κ³ − (x² + y² − 1) κ² − 2y²κ − y² = 0 (equation 55), or 0 if there is none.
    ///
    /// Solved by Ferrari's way, with every sum of like signs; the resolvent cubic has one real root outside the
    /// astroid and three inside.
    private static func κ(x: Double, y: Double) -> Double {
        let (p, q) = (x * x, y * y)
        let r = (p + q - 1) / 6
        guard q > 0 || r > 0 else { return 0 }
        let s = p * q / 4
        let r² = r * r
        let r³ = r * r²
        let discriminant = s * (s + 2 * r³)
        var u = r
        if discriminant >= 0 {
            let sum = s + r³
            let t = cbrt(sum < 0 ? sum - discriminant.squareRoot() : sum + discriminant.squareRoot())
            u += t + (t == 0 ? 0 : r² / t)
        } else {
            let angle = atan2((-discriminant).squareRoot(), -(s + r³))
            u += 2 * r * cos(angle / 3)
        }
        let v = (u * u + q).squareRoot()
        let sum = u < 0 ? q / (v - u) : u + v
        let w = (sum - q) / (2 * v)
        return sum / ((sum + w * w).squareRoot() + w)
    }

    /// 1 − cos, without cancelling.
    private static func versine(_ angle: GeodesicAngle) -> Double {
        angle.cos >= 0 ? angle.sin * angle.sin / (1 + angle.cos) : 1 - angle.cos
    }

    /// The azimuth at unit length; due east if it does not point eastward.
    private static func usable(_ α: GeodesicAngle) -> GeodesicAngle {
        α.sin > 0 ? α.normalized : GeodesicAngle(sin: 1, cos: 0)
    }
}

/// The geodesic that leaves the start of a problem at a given azimuth and ends at the latitude of its end.
///
/// It is the right one if it also ends at the right longitude (section 4 of the paper, "hybrid problem").
struct HybridGeodesic {
    /// At the end, northward or due east.
    let α₂: GeodesicAngle
    /// The geodesic between the latitudes.
    let arc: GeodesicArc
    /// λ₁₂ of this geodesic minus that of the problem, radians; rises with the azimuth.
    let mismatch: Double

    private let problem: InverseProblem

    /// Follows the geodesic with α₁, 0...180°.
    init(_ problem: InverseProblem, α₁: GeodesicAngle) {
        let (β₁, β₂) = (problem.β₁, problem.β₂)
        var α₁ = α₁
        // The limit for an azimuth of 90° at the equator, where the node is undefined.
        if β₁.sin == 0, α₁.cos == 0 { α₁.cos = -GeodesicAngle.tiny }

        // Equation 5, Clairaut's relation, and the cosine in the form that keeps its digits, of equation 10.
        let sinα₀ = α₁.sin * β₁.cos
        let cosα₀ = GeodesicAngle(sin: α₁.sin * β₁.sin, cos: α₁.cos).length
        α₂ = Self.α₂(β₁, β₂, α₁: α₁, sinα₀: sinα₀)

        // Equations 11 and 12.
        let σ₁ = GeodesicAngle(sin: β₁.sin, cos: α₁.cos * β₁.cos)
        let σ₂ = GeodesicAngle(sin: β₂.sin, cos: α₂.cos * β₂.cos)
        let ε = GeodesicSeries.ε(cosα₀: cosα₀)
        arc = GeodesicArc(from: σ₁.normalized, to: σ₂.normalized, ε: ε)
        let ω₁₂ = GeodesicAngle(sin: sinα₀ * σ₂.sin, cos: σ₂.cos)
            .past(GeodesicAngle(sin: sinα₀ * σ₁.sin, cos: σ₁.cos))

        // Equation 8.
        let I₃ = GeodesicSeries.I₃(ε)(from: arc.σ₁, to: arc.σ₂, σ₁₂: arc.σ₁₂)
        mismatch = (ω₁₂ - problem.λ₁₂).radians - WGS84.f * sinα₀ * I₃
        self.problem = problem
    }

    /// dλ₁₂ / dα₁, equation 46, with its limit where both points have the greatest latitude of the geodesic.
    var dλ₁₂dα₁: Double {
        guard α₂.cos != 0 else { return -2 * (1 - WGS84.f) * problem.β₁.dsdσ / problem.β₁.sin }
        return arc.reducedLength(from: problem.β₁, to: problem.β₂) * (1 - WGS84.f) / (α₂.cos * problem.β₂.cos)
    }

    /// α₂ by Clairaut's relation and equation 45, with differences of squares where squares would cancel.
    private static func α₂(
        _ β₁: ReducedLatitude, _ β₂: ReducedLatitude, α₁: GeodesicAngle, sinα₀: Double
    ) -> GeodesicAngle {
        let sinα₂ = β₂.cos == β₁.cos ? α₁.sin : sinα₀ / β₂.cos
        guard β₂.cos != β₁.cos || β₂.sin.magnitude != -β₁.sin else {
            return GeodesicAngle(sin: sinα₂, cos: α₁.cos.magnitude)
        }
        // cos² β₂ − cos² β₁.
        let difference =
            β₁.cos < -β₁.sin
            ? (β₂.cos - β₁.cos) * (β₁.cos + β₂.cos)
            : (β₁.sin - β₂.sin) * (β₁.sin + β₂.sin)
        let northing = α₁.cos * β₁.cos
        return GeodesicAngle(sin: sinα₂, cos: max(0, northing * northing + difference).squareRoot() / β₂.cos)
    }
}

/// The search for the azimuth at which a geodesic meets both points: Newton's method within a shrinking bracket.
///
/// Newton's steps converge in two to four iterations from a good guess. Bisection replaces a step that leaves the
/// bracket's half-turn and is used alone after too many steps, so the search ends after ``limit`` iterations at the
/// latest.
struct AzimuthSearch {
    /// Iterations after which only bisection is used.
    private static let newtonLimit = 20
    /// Iterations after which the best result is accepted: bisection has used all bits of a double by then.
    private static let limit = newtonLimit + Double.significandBitCount + 11

    /// Where λ₁₂ is too small, beginning due north.
    private var below = GeodesicAngle(sin: GeodesicAngle.tiny, cos: 1)
    /// Where λ₁₂ is too great, beginning due south.
    private var above = GeodesicAngle(sin: GeodesicAngle.tiny, cos: -1)
    /// The next azimuth to try.
    private var α₁: GeodesicAngle

    private init(from guess: GeodesicAngle) {
        α₁ = guess
    }

    /// α₁ and the geodesic it belongs to.
    static func solve(
        _ problem: InverseProblem, from guess: GeodesicAngle
    ) -> (α₁: GeodesicAngle, geodesic: HybridGeodesic) {
        var search = AzimuthSearch(from: guess)
        var tolerance = Double.ulpOfOne
        var isBracketSpent = false
        for turn in 0..<limit {
            let geodesic = HybridGeodesic(problem, α₁: search.α₁)
            // NaN ends the search too.
            if isBracketSpent || !(geodesic.mismatch.magnitude >= tolerance) { return (search.α₁, geodesic) }
            search.tighten(geodesic.mismatch, always: turn > newtonLimit)
            if turn < newtonLimit, search.step(mismatch: geodesic.mismatch, slope: geodesic.dλ₁₂dα₁) {
                // Quadratic convergence: the step just taken was the last except for rounding.
                let isNear = geodesic.mismatch.magnitude <= 16 * Double.ulpOfOne
                tolerance = (isNear ? 8 : 1) * Double.ulpOfOne
            } else {
                isBracketSpent = search.bisect()
                tolerance = Double.ulpOfOne
            }
        }
        return (search.α₁, HybridGeodesic(problem, α₁: search.α₁))
    }

    /// Makes the azimuth just tried an end of the bracket if it lies within.
    private mutating func tighten(_ mismatch: Double, always: Bool) {
        let cotangent = α₁.cos / α₁.sin
        if mismatch > 0, always || cotangent > above.cos / above.sin {
            above = α₁
        } else if mismatch < 0, always || cotangent < below.cos / below.sin {
            below = α₁
        }
    }

    /// Newton's step.
    /// - Returns: false, nothing done, if it would leave 0...180°.
    private mutating func step(mismatch: Double, slope: Double) -> Bool {
        guard slope > 0 else { return false }
        let change = -mismatch / slope
        guard change.magnitude < .pi else { return false }
        let stepped = α₁ + GeodesicAngle(radians: change)
        guard stepped.sin > 0 else { return false }
        α₁ = stepped.normalized
        return true
    }

    /// Continues from the middle of the bracket.
    /// - Returns: true if the bracket cannot shrink any more.
    private mutating func bisect() -> Bool {
        α₁ = GeodesicAngle(sin: (below.sin + above.sin) / 2, cos: (below.cos + above.cos) / 2).normalized
        func isSpent(_ end: GeodesicAngle) -> Bool {
            (end.sin - α₁.sin).magnitude + (end.cos - α₁.cos).magnitude < Double.ulpOfOne
        }
        return isSpent(below) || isSpent(above)
    }
}
