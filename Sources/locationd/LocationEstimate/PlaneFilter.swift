import Glibc

/// A Kalman filter of position and velocity in a plane, whose acceleration is white noise (Bar-Shalom, Li and
/// Kirubarajan, *Estimation with Applications to Tracking and Navigation*, 2001, 6.2.2).
///
/// The state is x = (p, v) and its covariance P, in blocks: Pₚₚ, Pₚᵥ and Pᵥᵥ.
struct PlaneFilter {
    /// The variance by which a standing machine is less certain each second, m²/s.
    static let creep = 1e-4

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

    /// The machine stands for so long, and may creep.
    mutating func wait(_ T: Double) { Pₚₚ = Pₚₚ + Matrix2(diagonal: Self.creep * T) }

    /// The square of an innovation's length in its standard deviations (χ² of two degrees); 0 if that cannot be said.
    func chiSquare(of innovation: Vector2, _ R: Matrix2) -> Double {
        (Pₚₚ + R).inverse?.product(with: innovation) ?? 0
    }

    /// The velocity is another one by this, as certain as this and independent of the position.
    mutating func setVelocity(_ v: Vector2, deviation: Double) {
        (self.v, Pₚᵥ, Pᵥᵥ) = (v, .zero, Matrix2(diagonal: deviation * deviation))
    }

    /// The axes turn, and the position becomes their origin.
    mutating func move(_ turn: Matrix2) {
        (p, v) = (.zero, turn * v)
        (Pₚₚ, Pₚᵥ, Pᵥᵥ) = (Pₚₚ.turned(by: turn).symmetric, Pₚᵥ.turned(by: turn), Pᵥᵥ.turned(by: turn).symmetric)
    }

    /// - Parameters:
    ///   - R: the covariance of the measured position.
    ///   - least: the part of the way to it that the position goes at least, whatever is known.
    mutating func update(position z: Vector2, R: Matrix2, gain least: Double = 0) {
        guard Pₚₚ.trace >= least * (Pₚₚ + R).trace else {
            p += (z - p) * least
            Pₚₚ = Pₚₚ * ((1 - least) * (1 - least)) + R * (least * least)
            Pₚᵥ = Pₚᵥ * (1 - least)
            return
        }
        guard let inverse = (Pₚₚ + R).inverse else { return }
        let innovation = z - p
        let (Kₚ, Kᵥ) = (Pₚₚ * inverse, Pₚᵥ.transposed * inverse)
        p += Kₚ * innovation
        v += Kᵥ * innovation
        Pᵥᵥ = (Pᵥᵥ - Kᵥ * Pₚᵥ).symmetric
        Pₚᵥ = Pₚᵥ - Kₚ * Pₚᵥ
        Pₚₚ = (Pₚₚ - Kₚ * Pₚₚ).symmetric
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

    /// Of the speed, metres per second.
    var speedDeviation: Double {
        let speed = v.length
        return max(0, Pᵥᵥ.product(with: speed > 0 ? v / speed : Vector2(0, 1))).squareRoot()
    }

    /// Of the direction, radians.
    var courseDeviation: Double {
        let speed = v.length
        guard speed > 0 else { return .pi }
        return atan2(max(0, Pᵥᵥ.product(with: Vector2(v.y, -v.x) / speed)).squareRoot(), speed)
    }

    var isFinite: Bool {
        let sum = p.sum() + v.sum() + Pₚₚ.trace + Pᵥᵥ.trace + Pₚᵥ.trace
        return sum.isFinite && Pₚₚ.columns.east.x >= 0 && Pₚₚ.columns.north.y >= 0
    }
}
