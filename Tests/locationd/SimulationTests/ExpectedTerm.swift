import Authorization
@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import ReferenceModel

/// A decision for a while, as the documented rule has it.
struct ExpectedTerm {
    var decision: ExpectedPermissions.Decision
    /// The end on the clock that counts through suspend.
    var end: BootInstant
    /// Seconds that the machine had slept when it was decided, or read.
    private let slept: Double
    /// The end on the wall clock, which counts after a restart only.
    var wallEnd: UTCTime?

    init(_ decision: ExpectedPermissions.Decision, for seconds: Double, at time: VirtualTime) {
        self.decision = decision
        end = time.now.advanced(bySeconds: seconds)
        slept = Self.slept(time)
    }

    private static func slept(_ time: VirtualTime) -> Double { time.now.seconds - time.awake }

    /// Whether the daemon's timer for it is late, because the machine has slept since.
    func isTimerLate(at time: VirtualTime) -> Bool { Self.slept(time) - slept > 1e-3 }

    /// What a restart leaves of a term: the least of what either clock shows, nothing before its beginning.
    ///
    /// - Returns: `nil` if that is nothing.
    init?(_ decision: ExpectedPermissions.Decision, written term: Term, at time: VirtualTime) {
        let age = term.duration - term.until.seconds(since: time.utc)
        let rest = min(term.duration - max(0, age), term.deadline.seconds(since: time.now))
        guard age >= -1, rest > 0 else { return nil }
        self.init(decision, for: rest, at: time)
        wallEnd = time.utc.advanced(bySeconds: rest)
    }

    func isOver(at time: VirtualTime) -> Bool { time.now >= end || wallEnd.map { time.utc >= $0 } ?? false }
}

extension SimulatedMachine {
    /// A moment before the end, and beyond it: the daemon's timer may be a microsecond late.
    private static let margin = 2e-6

    /// Lets time pass, and decisions end with their terms.
    func pass(_ seconds: Double) {
        let target = time.now.advanced(bySeconds: seconds)
        while let end = permissions.nextEnd(at: time), end <= target {
            advance(end.seconds(since: time.now) - Self.margin)
            settle()
            // Up to here a source was needed, between two looks at the need.
            if mayBeNeeded { model.demand.extendNeed(to: time.awake) }
            let isTimerLate = permissions.terms.values.contains { $0.end <= end && $0.isTimerLate(at: time) }
            endTerms(atLatest: end)
            advance(2 * Self.margin)
            settle()
            // The daemon looks before the next call.
            if isTimerLate { administer("GetStatistics") }
        }
        advance(target.seconds(since: time.now))
    }

    /// The clocks have jumped: the daemon sees it before the next call.
    func clocksJumped() {
        guard permissions.terms.values.contains(where: { $0.isOver(at: time) }) else { return }
        endTerms(atLatest: time.now)
        administer("GetStatistics")
    }

    /// No restart may make a term longer than it was granted.
    func checkTerms() {
        for (uid, term) in permissions.terms {
            guard let latest = permissions.latestEnds[uid], term.end.seconds(since: latest) < 0.002 else {
                return fault("the term of uid \(uid) is longer than granted")
            }
        }
    }

    private func endTerms(atLatest moment: BootInstant) {
        permissions.terms = permissions.terms.filter { $0.value.end > moment && !$0.value.isOver(at: time) }
        permissionsChanged()
    }

    private func advance(_ seconds: Double) {
        guard seconds > 0 else { return }
        time.loop.advanceTime(by: .nanoseconds(Int64(seconds * 1e9)))
    }
}

extension ExpectedPermissions {
    /// When the next term ends, if no clock is set before.
    fileprivate func nextEnd(at time: VirtualTime) -> BootInstant? {
        terms.values.map { term in
            let wall = term.wallEnd.map { time.now.advanced(bySeconds: $0.seconds(since: time.utc)) }
            return min(term.end, wall ?? term.end)
        }.min()
    }
}
