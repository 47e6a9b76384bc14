/// The direct problem: where a geodesic leads. Section 3 of the paper.
@_spi(Programs) public enum GeodesicDirect {
    /// The end of the geodesic that leaves `first` at the given azimuth.
    ///
    /// - Parameter distance: Metres, finite; negative goes backwards.
    @_spi(Programs) public static func end(
        from first: GeodeticPoint, distance s₁₂: Double, azimuth α₁: GeodesicAngle
    ) -> GeodeticPoint {
        let β₁ = ReducedLatitude(degrees: GeodesicAngle.coarsened(first.latitude))
        // Equations 5 and 10.
        let sinα₀ = α₁.sin * β₁.cos
        let cosα₀ = GeodesicAngle(sin: α₁.sin * β₁.sin, cos: α₁.cos).length
        // Equations 11 and 12. Along the equator every point is a node; this one is taken.
        let isEquatorial = β₁.sin == 0 && α₁.cos == 0
        let cosσ₁ = isEquatorial ? 1 : β₁.cos * α₁.cos
        let σ₁ = GeodesicAngle(sin: β₁.sin, cos: cosσ₁).normalized
        let ω₁ = GeodesicAngle(sin: sinα₀ * β₁.sin, cos: cosσ₁)

        // σ₁₂ of s₁₂, by τ: equations 19 to 21. Σ₁ is τ₁ − σ₁, and Σ₂ is σ₂ − τ₂.
        let ε = GeodesicSeries.ε(cosα₀: cosα₀)
        let I₁ = GeodesicSeries.I₁(ε)
        let Σ₁ = GeodesicSeries.sum(I₁.C, at: σ₁)
        let τ₁₂ = s₁₂ / (WGS84.b * I₁.A)
        let τ₂ = σ₁ + GeodesicAngle(radians: Σ₁ + τ₁₂)
        let Σ₂ = GeodesicSeries.sum(GeodesicSeries.C₁ʹ(ε), at: τ₂)
        let σ₁₂ = τ₁₂ + Σ₁ + Σ₂
        let σ₂ = σ₁ + GeodesicAngle(radians: σ₁₂)

        // Equations 12 and 13, and 8.
        let sinβ₂ = cosα₀ * σ₂.sin
        let cosβ₂ = GeodesicAngle(sin: sinα₀, cos: cosα₀ * σ₂.cos).length
        let ω₂ = GeodesicAngle(sin: sinα₀ * σ₂.sin, cos: σ₂.cos)
        let I₃ = GeodesicSeries.I₃(ε)(from: σ₁, to: σ₂, σ₁₂: σ₁₂)
        let λ₁₂ = (ω₂ - ω₁).radians - WGS84.f * sinα₀ * I₃
        // Equation 6.
        let φ₂ = GeodesicAngle(sin: sinβ₂, cos: (1 - WGS84.f) * max(GeodesicAngle.tiny, cosβ₂))
        return GeodeticPoint(
            latitude: φ₂.degrees, longitude: (first.longitude + λ₁₂ * (180 / .pi)).remainder(dividingBy: 360))
    }
}

/// The inverse problem: the shortest geodesic between two positions. Section 4 of the paper.
///
/// Its error is some nanometres everywhere, near the antipodes too.
@_spi(Programs) public struct GeodesicInverse: Sendable {
    /// s₁₂, metres.
    @_spi(Programs) public let distance: Double
    /// α₁, the direction in which the geodesic leaves the first position, clockwise from north.
    ///
    /// Of several shortest geodesics, that of one; without meaning if the distance is 0.
    @_spi(Programs) public let azimuth: GeodesicAngle

    /// Solves the problem for two positions.
    @_spi(Programs) public init(from first: GeodeticPoint, to second: GeodeticPoint) {
        let problem = InverseProblem(from: first, to: second)
        if let meridian = Self.meridian(problem) {
            distance = meridian
            azimuth = problem.azimuth(problem.λ₁₂, GeodesicAngle(sin: 0, cos: 1))
        } else if problem.β₁.sin == 0, problem.supplement >= 180 * WGS84.f {
            // Along the equator, while that is the shortest way.
            distance = WGS84.a * problem.λ₁₂Radians
            let east = GeodesicAngle(sin: 1, cos: 0)
            azimuth = problem.azimuth(east, east)
        } else {
            switch StartingPoint(problem) {
            case .answer(let α₁, let α₂, let s₁₂):
                distance = s₁₂
                azimuth = problem.azimuth(α₁, α₂)
            case .azimuth(let guess):
                let (α₁, geodesic) = AzimuthSearch.solve(problem, from: guess)
                distance = geodesic.arc.length * WGS84.b
                azimuth = problem.azimuth(α₁, geodesic.α₂)
            }
        }
    }

    /// The way along the meridians, over a pole if need be, metres.
    ///
    /// On an ellipsoid flattened at the poles no other is shorter.
    /// - Returns: `nil` if the points do not lie on one meridian, or on two that make a circle.
    private static func meridian(_ problem: InverseProblem) -> Double? {
        guard problem.startsAtPole || problem.λ₁₂.sin == 0 else { return nil }
        let (β₁, β₂) = (problem.β₁, problem.β₂)
        let arc = GeodesicArc(
            from: GeodesicAngle(sin: β₁.sin, cos: problem.λ₁₂.cos * β₁.cos),
            to: GeodesicAngle(sin: β₂.sin, cos: β₂.cos),
            ε: GeodesicSeries.ε(cosα₀: 1))
        // What is left of a pole's longitudes is no distance.
        guard arc.σ₁₂ > 3 * GeodesicAngle.tiny else { return 0 }
        return max(0, arc.length) * WGS84.b
    }
}

/// The inverse problem in the canonical form that is solved: eastward from the point nearer to a pole, which is in the
/// southern hemisphere (equation 44).
struct InverseProblem {
    /// β₁ ≤ 0.
    let β₁: ReducedLatitude
    /// |β₂| ≤ |β₁|.
    let β₂: ReducedLatitude
    /// 0...180°.
    let λ₁₂: GeodesicAngle
    let λ₁₂Radians: Double
    /// 180° − λ₁₂, degrees, exact where it is small.
    let supplement: Double
    /// True if the start is a pole.
    let startsAtPole: Bool

    private let isSwapped: Bool
    private let eastward: Double
    private let northward: Double

    /// The problem for two positions, mirrored as needed.
    init(from first: GeodeticPoint, to second: GeodeticPoint) {
        let (difference, error) = Self.difference(from: first.longitude, to: second.longitude)
        let sign: Double = difference < 0 ? -1 : 1
        λ₁₂ = GeodesicAngle(degrees: sign * difference, correction: sign * error)
        λ₁₂Radians = difference.magnitude * (.pi / 180)
        supplement = (180 - difference.magnitude) - sign * error

        var (φ₁, φ₂) = (GeodesicAngle.coarsened(first.latitude), GeodesicAngle.coarsened(second.latitude))
        isSwapped = φ₁.magnitude < φ₂.magnitude
        if isSwapped { (φ₁, φ₂) = (φ₂, φ₁) }
        eastward = isSwapped ? -sign : sign
        northward = φ₁ < 0 ? 1 : -1
        startsAtPole = φ₁.magnitude == 90

        let β₁ = ReducedLatitude(degrees: northward * φ₁)
        var β₂ = ReducedLatitude(degrees: northward * φ₂)
        // Where sine or cosine changes too little to distinguish the two latitudes, make both equal.
        if β₁.cos < -β₁.sin {
            if β₂.cos == β₁.cos { β₂.sin = Double(signOf: β₂.sin, magnitudeOf: β₁.sin) }
        } else if β₂.sin.magnitude == -β₁.sin {
            β₂.cos = β₁.cos
        }
        self.β₁ = β₁
        self.β₂ = β₂
    }

    /// The azimuth at the first position, given those at both points of this problem.
    func azimuth(_ α₁: GeodesicAngle, _ α₂: GeodesicAngle) -> GeodesicAngle {
        let found = isSwapped ? α₂ : α₁
        let turned: Double = isSwapped ? -1 : 1
        return GeodesicAngle(sin: found.sin * turned * eastward, cos: found.cos * turned * northward)
    }

    /// The difference of the longitudes within ±180 degrees, and its rounding error.
    private static func difference(from first: Double, to second: Double) -> (Double, error: Double) {
        let (sum, error) = exactSum(second, -first)
        // Exact, for what is folded is within a factor of two of 360.
        let folded = exactSum(sum > 180 ? sum - 360 : sum < -180 ? sum + 360 : sum, error)
        // Half a turn and a little more is a little less than half a turn the other way.
        guard folded.0.magnitude == 180, folded.error != 0 else { return folded }
        return (folded.error > 0 ? -180 : 180, folded.error)
    }

    /// The rounded sum and its error (Knuth, "The Art of Computer Programming" 2, 4.2.2, theorem B).
    private static func exactSum(_ first: Double, _ second: Double) -> (Double, error: Double) {
        let sum = first + second
        let secondPart = sum - first
        let firstPart = sum - secondPart
        return (sum, (first - firstPart) + (second - secondPart))
    }
}
