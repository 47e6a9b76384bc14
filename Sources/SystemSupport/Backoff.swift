/// The wait before the next attempt: 0.25 s, doubling to 30 s, each with a jitter of a fifth so that many clients do
/// not retry at the same time.
package struct Backoff {
    package static let first = 0.25
    package static let longest = 30.0
    /// After this many consecutive failures the peer counts as unavailable.
    package static let unavailableAfter = 3

    package private(set) var failures = 0

    package init() {}

    package mutating func succeed() {
        failures = 0
    }

    /// - Parameter jitter: 0..<1, drawn by the caller.
    /// - Returns: seconds to wait.
    package mutating func fail(jitter: Double) -> Double {
        let doublings = min(failures, 10)
        failures += 1
        let wait = (0..<doublings).reduce(Self.first) { wait, _ in wait * 2 }
        return min(Self.longest, wait) * (0.9 + 0.2 * jitter)
    }

    package var isUnavailable: Bool { failures >= Self.unavailableAfter }
}
