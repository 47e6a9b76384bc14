@_spi(Programs) import LocationModel

/// How many of the ranked sources run: the preferred one, and one more whenever those that run have been without a fix
/// for ``HubSettings/failoverDelay``.
///
/// A second receiver that always ran would always cost power, for the few seconds it saves when the first fails; and a
/// position entered by hand would be reported at each start before a receiver had a chance. A source that was started
/// runs until a better one has been followed for ``HubSettings/linger``, so that a source with an intermittent fix does
/// not switch the others on and off. A delay of 0 runs all of them.
struct Standby {
    /// The sources with a rank below it run.
    private(set) var depth = 0
    /// Since when the running sources are without a fix, restarted with each source that is started.
    private var fixlessSince: BootInstant?
    /// Since when the sources below the followed one are not needed.
    private var surplusSince: BootInstant?

    /// How many sources there are and how many are needed.
    struct Need {
        /// How many sources are configured.
        let count: Int
        let isOn: Bool
        /// Whether any client wants to see every source.
        let isForAll: Bool
    }

    /// Updates the depth after a change of the need, the followed receiver or the time.
    ///
    /// - Parameter rank: the rank that serves now; `nil` while none has a fix, negative if a fix was injected.
    mutating func update(_ need: Need, serving rank: Int?, at now: BootInstant, settings: HubSettings) {
        guard need.isOn, need.count > 0 else { return self = Standby() }
        depth = max(depth, 1)
        let runsAll = need.isForAll || settings.failoverDelay <= 0
        if runsAll { depth = need.count }
        fixlessSince = rank == nil ? fixlessSince ?? now : nil
        if depth < need.count, let fixlessSince, fixlessSince.advanced(bySeconds: settings.failoverDelay) <= now {
            depth += 1
            self.fixlessSince = now
        }
        guard !runsAll, let rank, rank >= 0, depth > rank + 1 else { return surplusSince = nil }
        let since = surplusSince ?? now
        surplusSince = since
        guard since.advanced(bySeconds: settings.linger) <= now else { return }
        depth = rank + 1
        surplusSince = nil
    }

    /// A source among those that run was switched on or off; the others go on.
    mutating func changeCount(by difference: Int) {
        depth = max(0, depth + difference)
    }

    /// When the next update is due.
    func deadline(count: Int, settings: HubSettings) -> BootInstant? {
        let next = depth < count ? fixlessSince?.advanced(bySeconds: settings.failoverDelay) : nil
        let last = surplusSince?.advanced(bySeconds: settings.linger)
        return [next, last].compactMap { $0 }.min()
    }
}
