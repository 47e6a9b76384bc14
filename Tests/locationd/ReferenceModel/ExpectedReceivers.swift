@_spi(Programs) package import LocationModel

/// Which fixes are news, how long they are fresh and which receiver is followed: the rules of the documentation,
/// computed from what the sources reported.
///
/// The receiver that is followed remains so while it has a fix. Without one, the best of those that have one takes its
/// place at once: the lower rank, then three dimensions, then the smaller accuracy. A lower rank takes over earlier
/// when its fixes have lasted.
package struct ExpectedReceivers {
    package struct Key: Hashable {
        package let rank: Int
        package let device: String?

        package init(rank: Int, device: String?) {
            self.rank = rank
            self.device = device
        }
    }

    private struct Receiver {
        var last: Location?
        /// Seconds between the last epochs, three at most.
        var gaps: [Double] = []
        var lastArrival: BootInstant?
        var lastTime: UTCTime?
        /// Since when fixes come without a break; `nil` while there is none.
        var since: BootInstant?
        var isSameRun = false
        /// The last that was held back since one was believed.
        var doubted: Location?
    }

    /// Seconds for which a fix is fresh at least.
    package private(set) var staleAfter: Double
    /// Seconds for which fixes of a lower rank must last.
    private let hysteresis: Double
    /// By how many seconds the daemon's timers may miss their time.
    private let tolerance: Double
    private var receivers: [Key: Receiver] = [:]
    /// The one that the rule names.
    package private(set) var followed: Key?
    /// False while another than `followed` may be followed, because a timer may have been late.
    package private(set) var isExact = true
    /// The last that was seen to be followed and has had a fix since.
    package private(set) var seen: Key?
    /// False after so many devices that the daemon may have forgotten some.
    package private(set) var isCertain = true
    private static let limit = 64

    package init(staleAfter: Double, hysteresis: Double, tolerance: Double = 0) {
        self.staleAfter = staleAfter
        self.hysteresis = hysteresis
        self.tolerance = tolerance
    }

    /// The same rule with no receiver known.
    package mutating func forgetAll() {
        self = Self(staleAfter: staleAfter, hysteresis: hysteresis, tolerance: tolerance)
    }

    /// Seconds for which a receiver's fix is fresh: three of its usual gaps, at least `staleAfter`.
    private func patience(of key: Key) -> Double {
        let gaps = receivers[key]?.gaps.sorted() ?? []
        return max(staleAfter, gaps.isEmpty ? 0 : 3 * gaps[(gaps.count - 1) / 2])
    }

    /// When the receiver's fix becomes stale; `nil` while it has none.
    private func end(of key: Key) -> BootInstant? {
        guard let state = receivers[key], state.since != nil, let last = state.last else { return nil }
        return last.monotonicTime.advanced(bySeconds: patience(of: key))
    }

    package func isLive(_ key: Key, at now: BootInstant) -> Bool { end(of: key).map { now < $0 } ?? false }

    /// Seconds for which the last fix counts as present: the patience of the most patient that has one, or had one
    /// lately.
    package func longestPatience(at now: BootInstant) -> Double {
        receivers.keys.filter { isLive($0, at: now) }.map { patience(of: $0) }.max() ?? staleAfter
    }

    package func isAnyLive(at now: BootInstant) -> Bool { receivers.keys.contains { isLive($0, at: now) } }

    /// Whether the followed receiver has a fresh fix.
    package func isTracking(at now: BootInstant) -> Bool { followed.map { isLive($0, at: now) } ?? false }

    /// True if the fix says nothing that was not said before.
    package func isRepeat(_ fix: Location, of key: Key) -> Bool {
        guard let state = receivers[key], fix.timestamp != nil else { return false }
        return [state.isSameRun ? state.last : nil, state.doubted].compactMap(\.self).contains { last in
            var last = last
            (last.monotonicTime, last.sequence) = (fix.monotonicTime, fix.sequence)
            return fix == last
        }
    }

    // MARK: What happens

    /// A fix was held back as implausible.
    mutating func doubtFix(_ fix: Location, of key: Key) {
        receivers[key, default: Receiver()].doubted = fix
        if receivers.count > Self.limit { isCertain = false }
    }

    /// A fix was accepted.
    /// - Parameters:
    ///   - isFollowed: whether the daemon follows its receiver.
    ///   - isTimely: false while the daemon's timers may lag behind.
    /// - Returns: what is wrong with its receiver being followed, or not.
    package mutating func acceptFix(
        _ fix: Location, of key: Key, isFollowed: Bool, isTimely: Bool = true
    ) -> String? {
        let now = fix.monotonicTime
        let isTie = passTime(to: now)
        var state = receivers[key] ?? Receiver()
        if let last = state.last, now.seconds(since: last.monotonicTime) >= patience(of: key) { state.since = nil }
        if fix.timestamp == nil || fix.timestamp != state.lastTime {
            if let arrival = state.lastArrival {
                state.gaps = Array((state.gaps + [now.seconds(since: arrival)]).suffix(3))
            }
            state.lastArrival = now
            state.lastTime = fix.timestamp
        }
        (state.last, state.isSameRun, state.since) = (fix, true, state.since ?? now)
        state.doubted = nil
        receivers[key] = state
        if receivers.count > Self.limit { isCertain = false }
        let since = state.since ?? now
        let former = followed
        replaceFollowed(at: now)
        if let current = followed, key.rank < current.rank, key.rank < 0 || now.seconds(since: since) >= hysteresis {
            followed = key
        }
        if isTie || !isTimely || !isCertain { isExact = false }
        defer {
            // Which other one is followed in its place has not been seen yet.
            if isFollowed { seen = key } else if seen == key { seen = nil }
            if isFollowed {
                (followed, isExact) = (key, isTimely && isCertain)
            } else if followed == key {
                isExact = false
            }
        }
        guard isCertain else { return nil }
        if let complaint = complaint(about: key, since: since, isFollowed: isFollowed, at: now) { return complaint }
        guard isExact, (followed == key) != isFollowed else { return nil }
        return "\(name(key)) is \(isFollowed ? "" : "not ")followed after \(name(former)), and the rule names "
            + name(followed)
    }

    /// What is wrong whatever the timers did.
    private func complaint(about key: Key, since: BootInstant, isFollowed: Bool, at now: BootInstant) -> String? {
        let others = receivers.keys.filter { $0 != key && isLive($0, at: now) }
        guard let seen, seen != key, others.contains(seen) else {
            return others.isEmpty && !isFollowed ? "\(name(key)) is not followed, and no other receiver has a fix" : nil
        }
        if key.rank >= seen.rank, isFollowed { return "\(name(key)) takes over from \(name(seen)), which has a fix" }
        let lasted = now.seconds(since: since)
        let isDue = key.rank < 0 || lasted >= hysteresis + 0.001
        let isEarly = key.rank >= 0 && lasted < hysteresis - 0.001
        if key.rank < seen.rank, isDue, !isFollowed { return "\(name(key)) does not take over from \(name(seen))" }
        return isEarly && isFollowed ? "\(name(key)) takes over from \(name(seen)) before it has proved itself" : nil
    }

    private func name(_ key: Key?) -> String {
        key.map { "\($0.device ?? "no device") of rank \($0.rank)" } ?? "none"
    }

    package mutating func loseFix(of key: Key, at now: BootInstant) {
        if passTime(to: now) { isExact = false }
        receivers[key, default: Receiver()].since = nil
        replaceFollowed(at: now)
        if seen == key { seen = nil }
    }

    /// Time passes with timers that are punctual: a receiver that falls silent is replaced at that moment.
    /// - Returns: true if one falls silent just now, so that the daemon may come to know it before or after.
    @discardableResult
    package mutating func passTime(to now: BootInstant) -> Bool {
        while let key = followed, let end = end(of: key) {
            let limit = now.advanced(bySeconds: -tolerance)
            guard end <= limit else { return tolerance > 0 && end < now.advanced(bySeconds: tolerance) }
            wake(at: end)
        }
        return false
    }

    /// A timer fires, late perhaps: a followed receiver that has been silent for too long is replaced.
    package mutating func wake(at now: BootInstant) {
        replaceFollowed(at: now)
        guard let followed, let end = end(of: followed), end <= now else { return }
        receivers[followed]?.since = nil
    }

    /// The time for which a fix is fresh at least changed.
    package mutating func setStaleAfter(_ seconds: Double, at now: BootInstant) {
        // One that fell silent before was replaced then, even if its fix counts as fresh again.
        if let seen, !isLive(seen, at: now) { self.seen = nil }
        staleAfter = seconds
        wake(at: now)
    }

    /// Without a fix the best of the others is followed, if there is one.
    private mutating func replaceFollowed(at now: BootInstant) {
        if let followed, isLive(followed, at: now) { return }
        func merit(_ key: Key) -> (Int, Int, Double, String) {
            let last = receivers[key]?.last
            return (
                key.rank, last?.mode == .threeDimensional ? 0 : 1, last?.horizontalAccuracy ?? .infinity,
                key.device ?? ""
            )
        }
        let live = receivers.keys.filter { isLive($0, at: now) }
        guard let best = live.min(by: { merit($0) < merit($1) }) else { return }
        // The rule does not say which of two alike it is.
        let (rank, dimensions, accuracy, _) = merit(best)
        if live.contains(where: { $0 != best && merit($0) < (rank, dimensions, accuracy, "\u{10FFFF}") }) {
            isExact = false
        }
        followed = best
    }

    /// The sources of this rank and below were stopped.
    package mutating func stopSources(from rank: Int) { stop { $0 >= rank } }

    /// The sources of these ranks were stopped.
    package mutating func stopSources(of ranks: Set<Int>) { stop(where: ranks.contains) }

    private mutating func stop(where isStopped: (Int) -> Bool) {
        for key in receivers.keys where isStopped(key.rank) {
            receivers[key]?.since = nil
            receivers[key]?.lastArrival = nil
            receivers[key]?.isSameRun = false
            receivers[key]?.doubted = nil
        }
    }
}
