extension GeodesicIntegral {
    /// I₃: what the longitude λ lacks of the sphere's ω is f sin α₀ I₃(σ) (equation 8). Equations 24 and 25.
    ///
    /// The coefficients are polynomials in ε whose own coefficients are polynomials in n; those are constants here.
    static func longitude(_ ε: Double) -> GeodesicIntegral {
        let n = GeodesicEllipsoid.thirdFlattening
        let ε² = ε * ε
        let ε³ = ε² * ε
        let ε⁴ = ε² * ε²
        return GeodesicIntegral(
            scale: longitudeScale(ε),
            waves: [
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

    /// A₃ alone, for a starting guess.
    static func longitudeScale(_ ε: Double) -> Double {
        let n = GeodesicEllipsoid.thirdFlattening
        let high = (1 + n * (3 + n)) / 16 + ε * ((3 + n * 2) / 64 + ε * 3 / 128)
        return 1 - ε * ((1 - n) / 2 + ε * ((2 + n * (1 - n * 3)) / 8 + ε * high))
    }
}
