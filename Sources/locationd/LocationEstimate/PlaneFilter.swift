/// A Kalman filter of position and velocity in a plane, whose acceleration is white noise (Bar-Shalom, Li and Kirubarajan,
/// *Estimation with Applications to Tracking and Navigation*, 2001, 6.2.2).
///
/// The state is x = (p, v) and its covariance P, in blocks: Pₚₚ, Pₚᵥ and Pᵥᵥ.
struct PlaneFilter {
    /// Metres.
    var p: Vector2
    /// Metres per second.
    var v: Vector2
    var Pₚₚ: Matrix2
    var Pₚᵥ: Matrix2
    var Pᵥᵥ: Matrix2

    init(p: Vector2, v: Vector2, Pₚₚ: Matrix2, Pᵥᵥ: Matrix2) {
        (self.p, self.v) = (p, v)
        (self.Pₚₚ, Pₚᵥ, self.Pᵥᵥ) = (Pₚₚ, .zero, Pᵥᵥ)
    }

    /// - Parameters:
    ///   - T: seconds, not negative.
    ///   - q: the power spectral density of the acceleration along each axis, m²/s³.
    mutating func predict(_ T: Double, q: Double) {
        p += v * T
        let noise = Matrix2(diagonal: q * T)
        Pₚₚ = Pₚₚ + (Pₚᵥ + Pₚᵥ.transposed) * T + Pᵥᵥ * (T * T) + noise * (T * T / 3)
        Pₚᵥ = Pₚᵥ + Pᵥᵥ * T + noise * (T / 2)
        Pᵥᵥ = Pᵥᵥ + noise
    }

    /// - Parameter R: the covariance of the measured position.
    /// - Returns: the square of the innovation's length in its standard deviations (χ² of two degrees); `nil` if nothing is changed,
    ///   because a covariance has no inverse.
    @discardableResult
    mutating func update(position z: Vector2, R: Matrix2) -> Double? {
        guard let inverse = (Pₚₚ + R).inverse else { return nil }
        let innovation = z - p
        let (Kₚ, Kᵥ) = (Pₚₚ * inverse, Pₚᵥ.transposed * inverse)
        p += Kₚ * innovation
        v += Kᵥ * innovation
        Pᵥᵥ = (Pᵥᵥ - Kᵥ * Pₚᵥ).symmetric
        Pₚᵥ = Pₚᵥ - Kₚ * Pₚᵥ
        Pₚₚ = (Pₚₚ - Kₚ * Pₚₚ).symmetric
        return inverse.product(with: innovation)
    }

    /// - Parameter R: the covariance of the measured velocity.
    mutating func update(velocity z: Vector2, R: Matrix2) {
        guard let inverse = (Pᵥᵥ + R).inverse else { return }
        let innovation = z - v
        let (Kₚ, Kᵥ) = (Pₚᵥ * inverse, Pᵥᵥ * inverse)
        p += Kₚ * innovation
        v += Kᵥ * innovation
        Pₚₚ = (Pₚₚ - Kₚ * Pₚᵥ.transposed).symmetric
        Pₚᵥ = Pₚᵥ - Kₚ * Pᵥᵥ
        Pᵥᵥ = (Pᵥᵥ - Kᵥ * Pᵥᵥ).symmetric
    }

    var isFinite: Bool {
        let sums = [p.sum(), v.sum(), Pₚₚ.trace, Pᵥᵥ.trace, Pₚᵥ.trace]
        return sums.allSatisfy(\.isFinite) && Pₚₚ.columns.east.x >= 0 && Pₚₚ.columns.north.y >= 0
    }
}
