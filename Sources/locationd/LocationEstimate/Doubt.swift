/// Fixes that agree with one another, and not with what was expected of them.
struct Doubt {
    /// χ² of two degrees that one fix in a thousand has by chance, and that hardly any has: 10 σ.
    static let (unlikely, impossible) = (13.8, 100.0)
    /// So many of them are believed, two that are impossible, or those of so many seconds.
    private static let (enough, long) = (5, 3.0)

    /// The most that a vehicle accelerates, metres per second squared.
    private static let acceleration = 5.0
    /// The deviations of the velocity of a machine that begins to move, and of one of which nothing is known, m/s.
    static let (startingSpeed, unknownSpeed) = (1.5, 15.0)

    /// Of the last of them, and its stated covariance.
    private let position: Vector2
    private let R: Matrix2
    private let count: Int
    /// The time of the first and the last.
    private let (since, time): (Double, Double)
    /// What was known of the errors before them, which they may have raised meanwhile.
    let share: ErrorShare

    /// - Parameters:
    ///   - former: the doubt that the former fix was.
    ///   - v: the measured velocity; `nil` if there is none.
    init(_ position: Vector2, _ R: Matrix2, _ v: Vector2?, at time: Double, _ share: ErrorShare, after former: Doubt?) {
        (self.position, self.R, self.time, self.share) = (position, R, time, share)
        let agreeing = former.flatMap { $0.agrees(with: position, R, v, at: time) ? $0 : nil }
        (count, since) = agreeing.map { ($0.count + 1, $0.since) } ?? (1, time)
    }

    /// Whether these fixes are right, and what was expected is not.
    ///
    /// - Parameters:
    ///   - χ²: of the last of them.
    ///   - isSettling: what was expected is of fixes that may have converged themselves.
    func isBelieved(_ χ²: Double, isSettling: Bool) -> Bool {
        let enough = χ² > Self.impossible ? 2 : Self.enough
        return count >= (isSettling ? enough / 2 : enough) || time - since >= Self.long
    }

    /// Whether a position follows the last one.
    private func agrees(with z: Vector2, _ otherR: Matrix2, _ v: Vector2?, at now: Double) -> Bool {
        let T = now - time
        // Where no velocity is known, a vehicle's.
        let way = (v == nil ? Self.unknownSpeed : Self.startingSpeed) * T + Self.acceleration / 2 * T * T
        let spread = (R + otherR) * (Self.unlikely * max(1, share.value)) + Matrix2(diagonal: way * way)
        return spread.inverse.map { $0.product(with: z - position - (v ?? .zero) * T) < 1 } ?? false
    }
}
