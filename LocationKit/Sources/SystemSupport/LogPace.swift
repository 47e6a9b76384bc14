@_spi(Programs) public import LocationModel

/// When something that others may repeat as fast as they can is logged: at most once a minute, with its number.
@_spi(Programs) public struct LogPace: Sendable, Equatable {
    /// Seconds from one line of the log to the next.
    @_spi(Programs) public static let interval = 60.0

    private var last: BootInstant?
    private var count = 0

    @_spi(Programs) public init() {}

    /// Counts one more.
    ///
    /// - Returns: how many there were since the last that was logged, with this one; `nil` if it is not to be logged.
    @_spi(Programs) public mutating func note(at now: BootInstant) -> Int? {
        count += 1
        if let last, now.seconds(since: last) < Self.interval { return nil }
        defer { count = 0 }
        last = now
        return count
    }
}
