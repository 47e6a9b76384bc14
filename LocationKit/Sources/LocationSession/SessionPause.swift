/// The pauses of a client before it connects to the daemon again, and its patience: the numbers of `clients/python`,
/// `clients/c` and the documents.
@_spi(Programs) public struct SessionPause: Sendable {
    /// Seconds of the first pause in an outage, which doubles with each attempt that fails, and of the longest. Each
    /// pause is drawn at random between its half and the whole.
    @_spi(Programs) public static let (first, longest) = (0.25, 10.0)
    /// Seconds over which clients come back that have lost a daemon which had answered them: all of them lose it at
    /// once.
    @_spi(Programs) public static let spread = 1.5
    /// Seconds that connecting and the first reply may take together.
    @_spi(Programs) public static let patience = 10.0

    private var next = SessionPause.first
    private var hasAnswered = false

    @_spi(Programs) public init() {}

    /// The daemon has answered: the outage is over.
    @_spi(Programs) public mutating func reset() { (next, hasAnswered) = (Self.first, true) }

    /// - Parameter random: 0..<1.
    /// - Returns: seconds to wait.
    @_spi(Programs) public mutating func seconds(_ random: Double) -> Double {
        guard !hasAnswered else {
            hasAnswered = false
            return Self.first + (Self.spread - Self.first) * random
        }
        defer { next = min(2 * next, Self.longest) }
        return next * (0.5 + 0.5 * random)
    }
}
