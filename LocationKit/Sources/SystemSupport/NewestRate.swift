@_spi(Programs) public import LocationModel

/// Lets at most ``limit`` values of a source a second through, the newest each time.
@_spi(Programs) public struct NewestRate<Value: Sendable>: Sendable {
    /// Values a second that are delivered at most: twice what a compass in a telephone measures, and each wakes the
    /// service and the clients once.
    @_spi(Programs) public static var limit: Double { 20 }
    /// Values a second above which a source is reported as faulty. No sensor of the kernel's IIO measures so fast.
    @_spi(Programs) public static var flood: Int { 1000 }

    private var delivered: BootInstant?
    private var pending: Value?
    private var second: (start: BootInstant, count: Int)?

    @_spi(Programs) public enum Verdict: Sendable, Equatable {
        case deliver
        /// Wait for ``deadline``.
        case wait
    }

    @_spi(Programs) public init() {}

    /// - Returns: what to do with the value, and whether another one waited, which is passed over.
    @_spi(Programs) public mutating func admit(
        _ value: Value, at now: BootInstant
    ) -> (verdict: Verdict, passesOver: Bool) {
        let passesOver = pending != nil
        if let delivered, now < delivered.advanced(bySeconds: 1 / Self.limit) {
            pending = value
            return (.wait, passesOver)
        }
        pending = nil
        delivered = now
        return (.deliver, passesOver)
    }

    /// When ``release(at:)`` is due.
    @_spi(Programs) public var deadline: BootInstant? {
        pending == nil ? nil : delivered?.advanced(bySeconds: 1 / Self.limit)
    }

    /// The value that has waited long enough.
    @_spi(Programs) public mutating func release(at now: BootInstant) -> Value? {
        guard let deadline, deadline <= now else { return nil }
        defer { pending = nil }
        delivered = now
        return pending
    }

    /// Counts a value.
    /// - Returns: true once in each second that has more than ``flood``.
    @_spi(Programs) public mutating func isFlood(at now: BootInstant) -> Bool {
        guard let second, now.seconds(since: second.start) < 1 else {
            second = (now, 1)
            return false
        }
        self.second = (second.start, second.count + 1)
        return second.count == Self.flood
    }
}
