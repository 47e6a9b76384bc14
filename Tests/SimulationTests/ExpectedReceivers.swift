import LocationModel

/// Which fixes are news, how long they are fresh and which receiver may be followed: the rules of the documentation,
/// computed from what the sources told.
struct ExpectedReceivers {
    struct Key: Hashable {
        let rank: Int
        let device: String?
    }

    struct Known {
        var last: Location?
        /// Seconds between the last epochs, three at most.
        var gaps: [Double] = []
        var lastArrival: BootInstant?
        var lastTime: UTCTime?
        /// Since when fixes come without a break; `nil` while there is none.
        var since: BootInstant?
        var isSameRun = false
    }

    static let staleAfter = 3.0

    private(set) var known: [Key: Known] = [:]
    private(set) var followed: Key?
    /// False after so many devices that the daemon may have forgotten some.
    private(set) var isCertain = true
    private static let limit = 64

    /// Seconds for which a receiver's fix is fresh.
    func patience(of key: Key) -> Double {
        let gaps = known[key]?.gaps.sorted() ?? []
        return max(Self.staleAfter, gaps.isEmpty ? 0 : 3 * gaps[(gaps.count - 1) / 2])
    }

    func isLive(_ key: Key, at now: BootInstant) -> Bool {
        guard let state = known[key], state.since != nil, let last = state.last else { return false }
        return now.seconds(since: last.monotonicTime) < patience(of: key)
    }

    /// The same of the most patient that has one, or had one lately.
    func longestPatience(at now: BootInstant) -> Double {
        known.keys.filter { isLive($0, at: now) }.map { patience(of: $0) }.max() ?? Self.staleAfter
    }

    func isAnyLive(at now: BootInstant) -> Bool { known.keys.contains { isLive($0, at: now) } }

    /// True if the fix says nothing that was not said before.
    func isRepeat(_ fix: Location, of key: Key) -> Bool {
        guard let state = known[key], state.isSameRun, var last = state.last, fix.timestamp != nil else { return false }
        (last.monotonicTime, last.sequence) = (fix.monotonicTime, fix.sequence)
        return fix == last
    }

    /// A fix was accepted.
    /// - Returns: what is wrong with its receiver being followed, or not.
    mutating func accept(_ fix: Location, of key: Key, isFollowed: Bool) -> String? {
        let now = fix.monotonicTime
        var state = known[key] ?? Known()
        if let last = state.last, now.seconds(since: last.monotonicTime) >= patience(of: key) { state.since = nil }
        if fix.timestamp == nil || fix.timestamp != state.lastTime {
            if let arrival = state.lastArrival {
                state.gaps = Array((state.gaps + [now.seconds(since: arrival)]).suffix(3))
            }
            state.lastArrival = now
            state.lastTime = fix.timestamp
        }
        (state.last, state.isSameRun, state.since) = (fix, true, state.since ?? now)
        known[key] = state
        if known.count > Self.limit { isCertain = false }
        // Whoever is followed in its place has not been seen yet.
        defer { if isFollowed { followed = key } else if followed == key { followed = nil } }
        return isCertain ? complaint(about: key, since: state.since ?? now, isFollowed: isFollowed, at: now) : nil
    }

    private func complaint(about key: Key, since: BootInstant, isFollowed: Bool, at now: BootInstant) -> String? {
        let others = known.keys.filter { $0 != key && isLive($0, at: now) }
        guard let followed, followed != key, others.contains(followed) else {
            return others.isEmpty && !isFollowed ? "\(key) is not followed, and no other receiver has a fix" : nil
        }
        if key.rank >= followed.rank, isFollowed { return "\(key) takes over from \(followed), which has a fix" }
        let isDue = key.rank < 0 || now.seconds(since: since) >= 2.001
        let isEarly = key.rank >= 0 && now.seconds(since: since) < 1.999
        if key.rank < followed.rank, isDue, !isFollowed { return "\(key) does not take over from \(followed)" }
        return isEarly && isFollowed ? "\(key) takes over from \(followed) before it has proved itself" : nil
    }

    mutating func loseFix(of key: Key) {
        known[key, default: Known()].since = nil
        if followed == key { followed = nil }
    }

    /// The sources of this rank and below were told to stop.
    mutating func stop(from rank: Int) {
        for key in known.keys where key.rank >= rank {
            known[key]?.since = nil
            known[key]?.lastArrival = nil
            known[key]?.isSameRun = false
        }
    }
}
