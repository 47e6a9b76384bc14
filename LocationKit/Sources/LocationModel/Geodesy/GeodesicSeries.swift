/// An integral along a geodesic as a Fourier series in the arc length: I(σ) = A (σ + Σ Cₗ sin 2lσ), l = 1...6.
///
/// Equations 15, 23 and 41 have this form. Truncated after the sixth order in the flattening, the error on the Earth is
/// some nanometres.
struct GeodesicSeries {
    /// The coefficients C₁ to C₆.
    typealias Coefficients = InlineArray<6, Double>

    let A: Double
    let C: Coefficients

    /// I(σ₂) − I(σ₁).
    func callAsFunction(from σ₁: GeodesicAngle, to σ₂: GeodesicAngle, σ₁₂: Double) -> Double {
        A * (σ₁₂ + (Self.sum(C, at: σ₂) - Self.sum(C, at: σ₁)))
    }

    /// Σ Cₗ sin 2lσ, by Clenshaw's recurrence.
    static func sum(_ C: Coefficients, at σ: GeodesicAngle) -> Double {
        let twiceCosine = 2 * (σ.cos - σ.sin) * (σ.cos + σ.sin)
        var (current, previous) = (0.0, 0.0)
        for index in stride(from: 5, through: 0, by: -1) {
            (current, previous) = (twiceCosine * current - previous + C[index], current)
        }
        return 2 * σ.sin * σ.cos * current
    }

    /// ε of the geodesic with the given cos α₀, by equations 9 and 16, the latter written so that no digits cancel.
    static func ε(cosα₀: Double) -> Double {
        let k² = cosα₀ * cosα₀ * WGS84.secondEccentricitySquared
        return k² / (2 * (1 + (1 + k²).squareRoot()) + k²)
    }

    /// I₁: s = b I₁(σ), distance along the geodesic (equations 7 and 15). A₁ and C₁ of equations 17 and 18.
    static func I₁(_ ε: Double) -> GeodesicSeries {
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return GeodesicSeries(
            A: (1 + ε² * (1 / 4 + ε² * (1 / 64 + ε² / 256))) / (1 - ε),
            C: [
                ε * (-1 / 2 + ε² * (3 / 16 - ε² / 32)),
                ε² * (-1 / 16 + ε² * (1 / 32 - ε² * 9 / 2048)),
                ε³ * (-1 / 48 + ε² * 3 / 256),
                ε⁴ * (-5 / 512 + ε² * 3 / 512),
                -ε⁴ * ε * 7 / 1280,
                -ε⁴ * ε² * 7 / 2048,
            ])
    }

    /// C₁′, which reverses I₁: σ = τ + Σ C₁′ₗ sin 2lτ where τ = s / (b A₁) (equations 19 and 20). Equation 21.
    static func C₁ʹ(_ ε: Double) -> Coefficients {
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return [
            ε * (1 / 2 + ε² * (-9 / 32 + ε² * 205 / 1536)),
            ε² * (5 / 16 + ε² * (-37 / 96 + ε² * 1335 / 4096)),
            ε³ * (29 / 96 - ε² * 75 / 128),
            ε⁴ * (539 / 1536 - ε² * 2391 / 2560),
            ε⁴ * ε * 3467 / 7680,
            ε⁴ * ε² * 38_081 / 61_440,
        ]
    }

    /// I₂, whose difference from I₁ gives the reduced length (equations 40 and 41). A₂ and C₂ of equations 42 and 43.
    static func I₂(_ ε: Double) -> GeodesicSeries {
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return GeodesicSeries(
            A: (1 + ε² * (1 / 4 + ε² * (9 / 64 + ε² * 25 / 256))) * (1 - ε),
            C: [
                ε * (1 / 2 + ε² * (1 / 16 + ε² / 32)),
                ε² * (3 / 16 + ε² * (1 / 32 + ε² * 35 / 2048)),
                ε³ * (5 / 48 + ε² * 5 / 256),
                ε⁴ * (35 / 512 + ε² * 7 / 512),
                ε⁴ * ε * 63 / 1280,
                ε⁴ * ε² * 77 / 2048,
            ])
    }

    /// I₃: λ = ω − f sin α₀ I₃(σ) (equations 8 and 23). A₃ and C₃ of equations 24 and 25.
    ///
    /// The coefficients are polynomials in ε whose own coefficients are polynomials in n; those are constants here.
    static func I₃(_ ε: Double) -> GeodesicSeries {
        let n = WGS84.n
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return GeodesicSeries(
            A: A₃(ε),
            C: [
                ε * ((1 - n) / 4 + ε * ((1 - n * n) / 8))
                    + ε³ * ((3 + n * (3 - n)) / 64 + ε * ((5 + n * 2) / 128 + ε * 3 / 128)),
                ε² * ((2 - n * (3 - n)) / 32 + ε * ((3 - n * (2 + n * 3)) / 64))
                    + ε⁴ * ((3 + n) / 128 + ε * 5 / 256),
                ε³ * ((5 - n * (9 - n * 5)) / 192 + ε * ((9 - n * 10) / 384 + ε * 7 / 512)),
                ε⁴ * ((7 - n * 14) / 512 + ε * 7 / 512),
                ε⁴ * ε * 21 / 2560,
                0,
            ])
    }

    /// A₃ alone, for a starting point. Equation 24.
    static func A₃(_ ε: Double) -> Double {
        let n = WGS84.n
        let high = (1 + n * (3 + n)) / 16 + ε * ((3 + n * 2) / 64 + ε * 3 / 128)
        return 1 - ε * ((1 - n) / 2 + ε * ((2 + n * (1 - n * 3)) / 8 + ε * high))
    }
}

/// A piece of a geodesic, as an arc of a great circle on the auxiliary sphere.
struct GeodesicArc {
    let σ₁: GeodesicAngle
    let σ₂: GeodesicAngle
    /// Radians, 0...π.
    let σ₁₂: Double
    /// The series parameter of the geodesic.
    let ε: Double

    /// An arc from one point to the next, at most half a turn further.
    init(from σ₁: GeodesicAngle, to σ₂: GeodesicAngle, ε: Double) {
        self.σ₁ = σ₁
        self.σ₂ = σ₂
        self.ε = ε
        σ₁₂ = σ₂.past(σ₁).radians
    }

    /// s₁₂ / b, the distance along the ellipsoid: I₁(σ₂) − I₁(σ₁). Equation 7.
    var length: Double {
        GeodesicSeries.I₁(ε)(from: σ₁, to: σ₂, σ₁₂: σ₁₂)
    }

    /// m₁₂ / b, how far neighbouring geodesics from the start have spread at the end. Equations 38 and 40.
    ///
    /// It is negative beyond the first conjugate point, where a geodesic is no longer the shortest way.
    func reducedLength(from β₁: ReducedLatitude, to β₂: ReducedLatitude) -> Double {
        let J₁₂ = length - GeodesicSeries.I₂(ε)(from: σ₁, to: σ₂, σ₁₂: σ₁₂)
        return β₂.dsdσ * (σ₁.cos * σ₂.sin) - β₁.dsdσ * (σ₁.sin * σ₂.cos) - σ₁.cos * σ₂.cos * J₁₂
    }
}
