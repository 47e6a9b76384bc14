/// An integral along a geodesic as a Fourier series in the arc length: I(σ) = A (σ + Σ Cₗ sin 2lσ), l = 1...6.
///
/// Equations 15, 23 and 41 of the paper have this form. Truncated after the sixth order in the flattening, the error
/// on the Earth is some nanometres.
struct GeodesicIntegral {
    /// The coefficients C₁ to C₆.
    typealias Waves = InlineArray<6, Double>

    /// A.
    let scale: Double
    /// C.
    let waves: Waves

    /// The integral from `start` to `end`, which is `radians` further.
    func callAsFunction(from start: GeodesicAngle, to end: GeodesicAngle, radians: Double) -> Double {
        scale * (radians + (Self.sum(waves, at: end) - Self.sum(waves, at: start)))
    }

    /// Σ Cₗ sin 2lσ, by Clenshaw's recurrence.
    static func sum(_ waves: Waves, at angle: GeodesicAngle) -> Double {
        let twiceCosine = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)
        var (current, previous) = (0.0, 0.0)
        for index in stride(from: 5, through: 0, by: -1) {
            (current, previous) = (twiceCosine * current - previous + waves[index], current)
        }
        return 2 * angle.sine * angle.cosine * current
    }
}
