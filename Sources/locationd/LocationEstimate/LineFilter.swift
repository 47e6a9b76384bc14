/// A Kalman filter of height and climb, as ``PlaneFilter`` of one dimension.
struct LineFilter {
    /// Metres.
    private(set) var z: Double
    /// Metres per second.
    private(set) var v = 0.0
    private(set) var (Pzz, Pzv, Pvv): (Double, Double, Double)

    /// The deviation of a climb of which nothing is known, metres per second.
    private static let unknownClimb = 5.0

    /// - Parameters:
    ///   - height: metres.
    ///   - R: its variance, m².
    init(height: Double, R: Double) {
        z = height
        (Pzz, Pzv, Pvv) = (R, 0, Self.unknownClimb * Self.unknownClimb)
    }

    mutating func predict(_ T: Double, q: Double) {
        z += v * T
        Pzz += 2 * T * Pzv + T * T * Pvv + q * T * T * T / 3
        Pzv += T * Pvv + q * T * T / 2
        Pvv += q * T
    }

    /// The machine stands for so long.
    mutating func wait(_ T: Double) { Pzz += PlaneFilter.creep * T }

    mutating func update(height: Double, R: Double) {
        let (S, innovation) = (Pzz + R, height - z)
        guard S > 0 else { return }
        let (Kz, Kv) = (Pzz / S, Pzv / S)
        z += Kz * innovation
        v += Kv * innovation
        Pvv -= Kv * Pzv
        Pzv -= Kz * Pzv
        Pzz -= Kz * Pzz
    }

    mutating func update(climb: Double, R: Double) {
        let (S, innovation) = (Pvv + R, climb - v)
        guard S > 0 else { return }
        let (Kz, Kv) = (Pzv / S, Pvv / S)
        z += Kz * innovation
        v += Kv * innovation
        Pzz -= Kz * Pzv
        Pzv -= Kz * Pvv
        Pvv -= Kv * Pvv
    }

    var isFinite: Bool { (z + v + Pzz + Pzv + Pvv).isFinite && Pzz >= 0 }
}
