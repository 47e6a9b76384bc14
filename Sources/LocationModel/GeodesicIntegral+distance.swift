extension GeodesicIntegral {
    /// I₁: distance along the geodesic in units of b. Equations 17 and 18.
    static func distance(_ ε: Double) -> GeodesicIntegral {
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return GeodesicIntegral(
            scale: (1 + ε² * (1 / 4 + ε² * (1 / 64 + ε² / 256))) / (1 - ε),
            waves: [
                ε * (-1 / 2 + ε² * (3 / 16 - ε² / 32)),
                ε² * (-1 / 16 + ε² * (1 / 32 - ε² * 9 / 2048)),
                ε³ * (-1 / 48 + ε² * 3 / 256),
                ε⁴ * (-5 / 512 + ε² * 3 / 512),
                -ε⁴ * ε * 7 / 1280,
                -ε⁴ * ε² * 7 / 2048,
            ])
    }

    /// C₁′, the reversion of I₁: σ = τ + Σ C₁′ₗ sin 2lτ where τ = I₁(σ) / A₁. Equation 21.
    static func reversedDistance(_ ε: Double) -> Waves {
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

    /// I₂, whose difference to I₁ gives the reduced length. Equations 42 and 43.
    static func reducedLength(_ ε: Double) -> GeodesicIntegral {
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return GeodesicIntegral(
            scale: (1 + ε² * (1 / 4 + ε² * (9 / 64 + ε² * 25 / 256))) * (1 - ε),
            waves: [
                ε * (1 / 2 + ε² * (1 / 16 + ε² / 32)),
                ε² * (3 / 16 + ε² * (1 / 32 + ε² * 35 / 2048)),
                ε³ * (5 / 48 + ε² * 5 / 256),
                ε⁴ * (35 / 512 + ε² * 7 / 512),
                ε⁴ * ε * 63 / 1280,
                ε⁴ * ε² * 77 / 2048,
            ])
    }
}
