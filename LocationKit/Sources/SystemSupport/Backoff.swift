/// The wait before the next attempt: 0.25 s, doubling to 30 s, each with a jitter of a fifth so that many clients do
/// not retry at the same time.
@_spi(Programs) public struct Backoff: Sendable {
    @_spi(Programs) public static let first = 0.25
    @_spi(Programs) public static let longest = 30.0
    /// After this many consecutive failures the peer counts as unavailable.
    @_spi(Programs) public static let unavailableAfter = 3

    @_spi(Programs) public private(set) var failures = 0

    @_spi(Programs) public init() {}

    @_spi(Programs) public mutating func succeed() {
        failures = 0
    }

    /// - Parameter jitter: 0..<1, drawn by the caller.
    /// - Returns: seconds to wait.
    @_spi(Programs) public mutating func fail(jitter: Double) -> Double {
        let doublings = min(failures, 10)
        failures += 1
        let wait = (0..<doublings).reduce(Self.first) { wait, _ in wait * 2 }
        return min(Self.longest, wait) * (0.9 + 0.2 * jitter)
    }

    @_spi(Programs) public var isUnavailable: Bool { failures >= Self.unavailableAfter }
}
