@_spi(Programs) import LocationModel

/// The time from the announcement that the machine goes to sleep until it is awake again.
///
/// Who announced it may never say that it is over. So it ends by itself after ``limit`` on the clock that counts
/// through the sleep: it is over when the machine wakes, unless it slept for less, and soon if the machine does not
/// sleep at all.
struct SleepHold {
    /// Seconds.
    static let limit = 60.0
    /// Seconds between two looks at the clock: a timer counts time awake only, and would be late by as much as remains.
    static let interval = 1.0

    private var end: BootInstant?
    private var checked: BootInstant?

    var isActive: Bool { end != nil }

    mutating func begin(at now: BootInstant) {
        end = now.advanced(bySeconds: Self.limit)
        checked = now
    }

    mutating func finish() { self = SleepHold() }

    mutating func advance(to now: BootInstant) {
        guard let end else { return }
        checked = now
        if end <= now { finish() }
    }

    var deadline: BootInstant? {
        guard let end, let checked else { return nil }
        return min(end, checked.advanced(bySeconds: Self.interval))
    }
}
