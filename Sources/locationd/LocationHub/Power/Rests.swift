@_spi(Programs) import LocationModel

/// The watches that pause while the machine is stationary.
struct Pauses {
    /// Those that are not paused, and how many seconds the machine has to be stationary before they are.
    private(set) var candidates: [WatchID: Double] = [:]
    private(set) var paused: Set<WatchID> = []

    /// A watch has begun, or what it may see or whether it is paused has changed.
    mutating func update(_ id: WatchID, _ watch: Watch) {
        remove(id)
        if watch.isPaused { paused.insert(id) } else if let delay = watch.pauseDelay { candidates[id] = delay }
    }

    mutating func remove(_ id: WatchID) {
        candidates[id] = nil
        paused.remove(id)
    }

    /// Those that pause when the machine has been stationary for so many seconds, in the order of their slots.
    func due(after seconds: Double) -> [WatchID] {
        candidates.filter { $0.value <= seconds }.keys.sorted { $0.slot < $1.slot }
    }
}

/// When the receivers rest although watches want locations: between those of an interval, and while the machine is
/// stationary.
struct Rests: HubPart {
    var intervals = IntervalDemand()
    /// Whether the sources run for the watches of ``intervals``.
    var search = MonitorSearch()
    var stationary = StationaryDetector()
    var pauses = Pauses()
    /// Watches whose pause has ended and whose clients have not been sent that yet.
    var resumed: Set<WatchID> = []

    /// Follows the time, and what the receivers do.
    /// - Returns: whether watches that are paused resume, because the machine may have moved: the receivers may not
    ///   run, or find no fix.
    mutating func updateSearch(mayRun: Bool, hasFix: Bool, at now: BootInstant, settings: HubSettings) -> Bool {
        let wasSearching = search.isSearching
        search.update(due: mayRun ? intervals.wake : nil, at: now, settings: settings)
        let hasFailed = wasSearching && !search.isSearching && intervals.wake.map { $0 <= now } ?? false
        // Another watch may have searched in vain for a more accurate fix.
        guard !mayRun || hasFailed && !hasFix, !pauses.paused.isEmpty else { return false }
        stationary.forget()
        return true
    }

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? {
        permit.deadline(of: search, due: intervals.wake, settings: settings)
    }

    mutating func removeWatch(_ id: WatchID) {
        intervals.remove(id)
        pauses.remove(id)
    }
}
