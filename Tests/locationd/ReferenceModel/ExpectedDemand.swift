/// How many sources have to run: some as long as a client needs them, and a while longer.
///
/// Times are seconds on the clock of the daemon's timers.
package struct ExpectedDemand {
    /// So many sources are to run.
    package private(set) var count = 0
    /// When the first of them was to run, or the last was not.
    private var since = 0.0
    private var changed = 0.0
    /// When somebody may have needed a source last.
    package private(set) var neededUntil = 0.0

    package init() {}

    /// Another run of the daemon.
    mutating func restart() { count = 0 }

    package mutating func change(to count: Int, at now: Double) {
        if (self.count == 0) != (count == 0) { since = now }
        self.count = count
        changed = now
    }

    /// Somebody may have needed a source until now.
    package mutating func extendNeed(to now: Double) { neededUntil = max(neededUntil, now) }

    /// True if the sources have had so many seconds to follow.
    package func isOlder(than seconds: Double, at now: Double) -> Bool { now - changed > seconds }

    /// The need of all clients.
    package struct Need {
        /// Somebody needs one for certain.
        package var isCertain: Bool
        /// Somebody might need one in a way that is not foreseen here.
        package var isPossible: Bool
        /// So many must run for a watch that wants the fixes of every source.
        package var everySource: Int?

        package init(isCertain: Bool, isPossible: Bool, everySource: Int?) {
            self.isCertain = isCertain
            self.isPossible = isPossible
            self.everySource = everySource
        }
    }

    /// - Parameters:
    ///   - linger: for how many seconds sources may run on.
    ///   - refresh: for how many seconds they may run to renew the last location; `nil` if they never do.
    /// - Returns: what is wrong with the present count.
    package mutating func complaint(
        about need: Need, isEnabled: Bool, linger: Double, refresh: Double? = nil, at now: Double
    ) -> String? {
        guard isEnabled else {
            neededUntil = now
            return count > 0 ? "the service is off, and \(count) sources are wanted" : nil
        }
        if need.isCertain, count == 0 { return "somebody needs a source, and none is wanted" }
        if let all = need.everySource, count != all { return "somebody wants every source, and \(count) run" }
        if need.isPossible { neededUntil = now }
        guard count > 0, now - neededUntil > linger else { return nil }
        if let refresh, now - since < refresh { return nil }
        return "nobody has needed a source for \(now - neededUntil) s, and \(count) are wanted"
    }
}
