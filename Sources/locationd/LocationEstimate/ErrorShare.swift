/// Which part of the stated error changes from fix to fix, so that a filter can reduce it; the rest moves slowly, and
/// stays.
///
/// A receiver's errors of one minute to the next are hardly independent (the atmosphere, reflections, its own filter),
/// and no filter of its positions can tell them from movement. If all of the stated variance R were independent, the
/// innovations of the position would have the variance P + R; what they have tells the part of R that is (after Mehra
/// 1970, *On the identification of variances and adaptive Kalman filtering*).
struct ErrorShare {
    /// Fixes over which the part is averaged, and over which it grows.
    private static let (memory, alarm) = (60.0, 5.0)
    /// The least part that is assumed: with less of it the filter would follow each fix, and reduce nothing of what
    /// comes and goes within a minute. Of a simulated error with a time constant of a minute it leaves 0.94 so, and
    /// 0.96 with 0.02 (`make estimate`).
    private static let least = 0.25
    /// One innovation counts at most as so many times the stated variance.
    private static let greatest = 1e4

    private var mean = 1.0

    /// More than 1 where the receiver states less than its positions scatter.
    var value: Double {
        // The mean of so many squares of normal variables is uncertain by this: 1 is assumed unless it is clearly less.
        let uncertainty = 1.5 * (1 / Self.memory).squareRoot()
        return mean > 1 - uncertainty && mean < 1 + uncertainty ? 1 : max(Self.least, mean)
    }

    /// What the filter leaves of the stated variance, as a multiple of it: what it cannot reduce, and what the receiver
    /// does not state, of which nobody knows that it is independent.
    var remainder: Double { abs(1 - value) }

    /// - Parameters:
    ///   - square: of the innovation: the measured position or height from the predicted one, square metres.
    ///   - P: the variance of the predicted one.
    ///   - R: the stated variance of the measured one.
    mutating func observe(square: Double, P: Double, R: Double) {
        let sample = min(Self.greatest, max(-1, (square - P) / R))
        // A receiver that alternates between two places must not be believed for a minute, nor doubted for one when it
        // ends.
        let isAlarm = max(sample, mean) > 9
        mean += (sample - mean) / (isAlarm ? Self.alarm : Self.memory)
    }
}
