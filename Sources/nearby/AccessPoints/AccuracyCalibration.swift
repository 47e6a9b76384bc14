import Glibc

/// Makes stated accuracies true: 68 % of a machine's own answers are within them.
///
/// Each time that the machine's position is measured, the place that would have been answered without it is compared
/// with it, before the observation is learned. An error within the stated accuracy makes the factor a little smaller,
/// one beyond it a little larger, in the proportion that holds still where 68 % are within: the stochastic
/// approximation of a quantile (H. Robbins and S. Monro, Annals of Mathematical Statistics 22, 1951).
package struct AccuracyCalibration: Sendable, Equatable {
    /// The share of answers that are within their accuracy.
    package static let share = 0.68
    /// What one comparison changes the logarithm of the factor by is at most this: twenty errors beyond the accuracy
    /// double it.
    private static let step = 0.05
    /// A factor outside of these would be a fault of something else.
    package static let factors = 0.3...5.0
    private static let countLimit = 1_000_000
    /// Days since an access point was last received for a comparison to count: at its first passage today it was
    /// learned moments ago, and is too good.
    package static let leastAge = 1

    /// What accuracies are multiplied by.
    package private(set) var factor: Double
    /// How many comparisons there were.
    package private(set) var count: Int

    package init(factor: Double = 1, count: Int = 0) {
        self.factor = Self.bounded(factor)
        self.count = min(max(0, count), Self.countLimit)
    }

    /// Takes one comparison.
    ///
    /// - Parameters:
    ///   - error: metres between the answer and the measured position.
    ///   - accuracy: metres that were stated.
    package mutating func compare(error: Double, accuracy: Double) {
        let direction = error > accuracy ? Self.share : Self.share - 1
        factor = Self.bounded(factor * exp(Self.step * direction))
        count = min(count + 1, Self.countLimit)
    }

    private static func bounded(_ factor: Double) -> Double {
        min(max(factor, factors.lowerBound), factors.upperBound)
    }
}
