/// How many values were how large.
package struct Histogram: Sendable, Equatable {
    /// The upper ends of the buckets, inclusive, rising and finite; one more bucket takes all that is larger.
    package let bounds: [Double]
    /// Values by bucket, not cumulative: one more than there are bounds.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    /// - Parameter bounds: in any order; what is not finite, or there twice, is left out.
    package init(bounds: [Double]) {
        self.bounds = Set(bounds.filter(\.isFinite)).sorted()
        counts = Array(repeating: 0, count: self.bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// What is not a number is not counted.
    package mutating func observe(_ value: Double) {
        guard !value.isNaN else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
