@_spi(Programs) package import LocationModel

/// The hub's counters since it began.
package struct HubCounters: Sendable, Hashable {
    /// Fixes that got a number.
    package var fixes = 0
    /// Fixes by the rank of the source.
    package var fixesByRank: [Int: Int] = [:]
    /// Fixes that were held back, by the rank of the source and the rule.
    package var implausible: [Int: [Implausibility: Int]] = [:]
    /// Exact repeats, which were ignored.
    package var repeats = 0
    /// Repeats by the rank of the source.
    package var repeatsByRank: [Int: Int] = [:]
    /// Fixes that the mailbox dropped.
    package var overflowed = 0
    /// Locations dropped for slow watches.
    package var dropped = 0
    /// Violated invariants of the hub.
    package private(set) var internalErrors = 0

    /// Counts a violated invariant, which is a mistake of ours and never of clients; a debug build stops here.
    mutating func countInternalError(_ what: StaticString) {
        assertionFailure("\(what)")
        internalErrors += 1
    }

    /// Clears the counters by rank, because the sources were replaced.
    mutating func forgetSources() {
        fixesByRank = fixesByRank.filter { $0.key == Hub.injectedRank }
        repeatsByRank = repeatsByRank.filter { $0.key == Hub.injectedRank }
        implausible = [:]
    }
}
