/// A histogram of values.
package struct Histogram: Sendable, Equatable {
    /// The inclusive upper bounds of the buckets, rising and finite; one more bucket holds larger values.
    package let bounds: [Double]
    /// The number of values in each bucket, not cumulative: one more than there are bounds.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    /// - Parameter bounds: in any order; duplicates and values that are not finite are ignored.
    package init(bounds: [Double]) {
        self.bounds = Set(bounds.filter(\.isFinite)).sorted()
        counts = Array(repeating: 0, count: self.bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// Adds a value; NaN is ignored.
    package mutating func observe(_ value: Double) {
        guard !value.isNaN else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
