import LocationModel

/// Lets at most ``limit`` headings a second through, the newest each time.
struct HeadingRate {
    /// Headings a second that are delivered at most: twice what a compass in a telephone measures, and each wakes the service
    /// and the clients once.
    static let limit = 20.0
    /// Headings a second above which a compass is reported as faulty. No sensor of the kernel's IIO measures so fast.
    static let flood = 1000

    private var delivered: BootInstant?
    private var pending: Heading?
    private var second: (start: BootInstant, count: Int)?

    enum Verdict: Equatable {
        case deliver
        /// Wait for ``deadline``.
        case wait
    }

    /// - Returns: what to do with the heading, and whether another one waited, which is passed over.
    mutating func admit(_ heading: Heading, at now: BootInstant) -> (verdict: Verdict, passesOver: Bool) {
        let passesOver = pending != nil
        if let delivered, now < delivered.advanced(bySeconds: 1 / Self.limit) {
            pending = heading
            return (.wait, passesOver)
        }
        pending = nil
        delivered = now
        return (.deliver, passesOver)
    }

    /// When ``release(at:)`` is due.
    var deadline: BootInstant? {
        pending == nil ? nil : delivered?.advanced(bySeconds: 1 / Self.limit)
    }

    /// The heading that has waited long enough.
    mutating func release(at now: BootInstant) -> Heading? {
        guard let deadline, deadline <= now else { return nil }
        defer { pending = nil }
        delivered = now
        return pending
    }

    /// Counts a reading.
    /// - Returns: true once in each second that has more than ``flood``.
    mutating func isFlood(at now: BootInstant) -> Bool {
        guard let second, now.seconds(since: second.start) < 1 else {
            second = (now, 1)
            return false
        }
        self.second = (second.start, second.count + 1)
        return second.count == Self.flood
    }
}
