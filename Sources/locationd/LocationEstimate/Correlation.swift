/// How much less often a receiver says something new than it says something: its errors of one moment and the next are
/// alike.
///
/// An error with the correlation time τ, measured every T, has the effect on a mean of independent ones of 1 + 2τ/T
/// times its variance.
enum Correlation {
    /// Seconds: of a velocity, which receivers smooth, and of positions at a standstill.
    private static let (velocity, standing) = (0.35, 10.0)
    /// Seconds: fixes that come together are of this distance.
    private static let least = 0.01

    static func velocity(_ T: Double) -> Double { 1 + 2 * velocity / max(T, least) }
    static func standing(_ T: Double) -> Double { 1 + 2 * standing / max(T, least) }
}
