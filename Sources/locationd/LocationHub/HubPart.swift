@_spi(Programs) import LocationModel

/// A part of the hub with a state of its own, so that a feature goes into one of them.
protocol HubPart {
    /// When ``advance(to:settings:)`` or what the hub does after it has something to do in this part; `nil` while only
    /// inputs can change anything.
    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant?
    /// Processes the time for what concerns this part alone.
    mutating func advance(to now: BootInstant, settings: HubSettings)
    /// A watch or a monitor has ended.
    mutating func removeWatch(_ id: WatchID)
}

extension HubPart {
    mutating func advance(to now: BootInstant, settings: HubSettings) {}
    mutating func removeWatch(_ id: WatchID) {}
}

/// Whether the sources may run, and whether anybody needs them.
struct SourcePermit {
    let isEnabled: Bool
    /// Whether they may run if somebody needs them.
    let mayRun: Bool
    /// Whether somebody needs them, even if they may not run.
    let isNeeded: Bool

    /// When the sources have to start for a search: they may run, or wait for the first need.
    func deadline(of search: MonitorSearch, due: BootInstant?, settings: HubSettings) -> BootInstant? {
        if mayRun { return search.deadline(due: due, settings: settings) }
        return isEnabled && !isNeeded ? due : nil
    }
}

extension BootInstant? {
    /// Takes the other moment if it is earlier. An array of candidates would be allocated for every fix.
    mutating func formEarlier(_ other: BootInstant?) {
        guard let other else { return }
        self = map { Swift.min($0, other) } ?? other
    }
}
