package import LocationModel

/// When each entry of a recording is due: the recording's spacing, divided by the speed.
package struct ReplayPace: Sendable {
    private let speed: Double
    /// One entry's place in the recording and on the clock; all the others are counted from it.
    private var anchor: (at: Double, moment: BootInstant)?
    private var lastDue: BootInstant?

    /// - Parameter speed: Taken to lie within 0.01...1000; not a number is 1.
    package init(speed: Double) {
        self.speed = speed.isNaN ? 1 : max(0.01, min(1000, speed))
    }

    /// The moment for the entry at `at` seconds of the recording. The first one is due at once.
    ///
    /// If that was more than a second ago, as after the machine has slept, the entry is due now and the rest follow in
    /// their spacing instead of all at once.
    package mutating func due(_ at: Double, now: BootInstant) -> BootInstant {
        let first = lastDue.map { $0.advanced(bySeconds: 1 / speed) } ?? now
        let planned = anchor.map { $0.moment.advanced(bySeconds: (at - $0.at) / speed) } ?? first
        let isLate = now.seconds(since: planned) > 1
        let due = isLate ? now : planned
        if anchor == nil || isLate { anchor = (at, due) }
        lastDue = due
        return due
    }

    /// The next entry is the recording's first again, due one second of the recording's after the last one.
    package mutating func beginAgain() {
        anchor = nil
    }
}
