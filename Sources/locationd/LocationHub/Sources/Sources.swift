@_spi(Programs) import LocationModel

/// The configured sources: their names and states, their receivers, and how many of them run.
struct Sources: HubPart {
    /// Those of locations by rank, then the compasses.
    private(set) var names: [String]
    /// The names of those that cost hardly any power.
    private(set) var lowPower: Set<String>
    var switches: SourceSwitches
    private(set) var power = PowerChoice()
    /// The accuracy that they were last told to suffice, metres; `nil` for the best.
    private var toldAccuracy: Double?
    /// What each has last said of itself, by rank; `nil` while it does not run.
    var conditions: [SourceCondition?]
    var compasses: Compasses
    var receivers = Receivers()
    var demand: Demand
    var standby = Standby()
    /// How many sources run: those with a rank below this.
    private(set) var running = 0
    /// Whether somebody needed the sources when that was last examined, even if they may not run.
    var isNeeded = false
    var run = SourceRun()

    /// - Parameters:
    ///   - locating: the names of the configured sources of locations by rank, the preferred one first.
    ///   - compasses: the names of the sources that give headings alone; their ranks follow.
    ///   - lowPower: the names of those that cost hardly any power.
    init(
        _ locating: [String], compasses: [String], lowPower: Set<String>, switchedOff: Set<String>, at now: BootInstant
    ) {
        names = locating + compasses
        self.lowPower = lowPower
        self.compasses = Compasses(ranks: locating.count..<names.count)
        switches = SourceSwitches(off: switchedOff, names: names, locatingCount: locating.count)
        conditions = Array(repeating: nil, count: names.count)
        demand = Demand(at: now)
    }

    /// How many sources give locations.
    var locatingCount: Int { compasses.ranks.lowerBound }

    /// Other sources are configured; the state of the old ones no longer counts.
    mutating func replace(_ locating: [String], compasses: [String], lowPower: Set<String>, at now: BootInstant) {
        names = locating + compasses
        self.lowPower = lowPower
        power.end(at: now)
        self.compasses.replace(ranks: locating.count..<names.count)
        // Those that are spared are so until the hub says otherwise, to its owner too.
        switches = SourceSwitches(
            off: switches.off, spared: switches.spared, names: names, locatingCount: locating.count)
        conditions = Array(repeating: nil, count: names.count)
        receivers = Receivers()
        standby = Standby()
        beginRun(at: now)
    }

    /// Whether the events of a source count: those that arrive after it was stopped or switched off do not.
    func isHeard(_ rank: Int) -> Bool {
        (rank < running || compasses.isRunning && compasses.ranks.contains(rank)) && !switches.isOff(rank)
            && !switches.isSpared(rank)
    }

    mutating func applyCondition(_ condition: SourceCondition, from rank: Int) {
        guard conditions.indices.contains(rank) else { return }
        conditions[rank] = condition
        if case .connected = condition {} else { receivers.disconnect(rank: rank) }
        if compasses.ranks.contains(rank) { compasses.applyCondition(condition, from: rank) }
    }

    /// Switches one source off or on; those that run go on.
    mutating func setSource(_ rank: Int, enabled: Bool, at now: BootInstant, settings: HubSettings) {
        let (name, runs) = (names[rank], rank < running)
        var off = switches.off
        if enabled { off.remove(name) } else { off.insert(name) }
        switches = SourceSwitches(off: off, spared: switches.spared, names: names, locatingCount: locatingCount)
        if compasses.ranks.contains(rank) {
            compasses.applyCondition(
                enabled ? .connected(reason: nil) : .unavailable(reason: Self.offReason([name])), from: rank)
        }
        // One that is switched on among those that run starts beside them, until it has a fix.
        if runs { standby.changeCount(by: enabled ? 1 : -1) }
        conditions[rank] = nil
        receivers.stop(rank: rank)
        receivers.advance(to: now, settings: settings)
    }

    /// Begins another run of the sources, or ends the present one: whether they have a fix and a compass is unknown
    /// again.
    mutating func beginRun(at now: BootInstant) {
        run = SourceRun(searchBegan: demand.isOn ? now : nil)
        compasses.forgetRun()
    }

    /// Whether receivers may be spared, or are.
    var hasPowerChoice: Bool { !lowPower.isEmpty || !switches.spared.isEmpty }

    /// - Returns: whether they are to be told how many metres suffice now.
    mutating func updateToldAccuracy(_ accuracy: Double?) -> Bool {
        defer { toldAccuracy = accuracy }
        return accuracy != toldAccuracy
    }

    /// Spares the receivers, or does so no longer, by what all who want locations need.
    ///
    /// - Parameter accuracy: metres that suffice for all; `nil` if somebody wants the best.
    /// - Returns: whether other sources are spared now.
    mutating func updatePower(
        isNeeded: Bool, accuracy: Double?, at now: BootInstant, settings: HubSettings
    ) -> Bool {
        let low = (0..<locatingCount).filter { lowPower.contains(names[$0]) && !switches.isOff($0) }
        if !demand.isOn || low.isEmpty {
            power.end(at: now)
        } else {
            let isServed = receivers.all.contains { receiver in
                low.contains(receiver.key.rank) && receiver.isLive(at: now, staleAfter: settings.staleAfter)
                    && receiver.lastFix?.horizontalAccuracy.map { $0 <= accuracy ?? 0 } == true
            }
            let areReceiversRunning = (0..<running).contains { !low.contains($0) && isHeard($0) }
            power.update(
                .init(
                    isThere: isNeeded, accuracy: accuracy, isServed: isServed, areReceiversRunning: areReceiversRunning),
                at: now, settings: settings)
        }
        let spared = power.sparesReceivers ? Set(names.prefix(locatingCount)).subtracting(lowPower) : []
        guard spared != switches.spared else { return false }
        let before = switches.ranks.count { $0 < running }
        switches = SourceSwitches(off: switches.off, spared: spared, names: names, locatingCount: locatingCount)
        // Those that ran and are not spared go on; receivers start beside them until they have a fix.
        standby.changeCount(by: switches.ranks.count { $0 < running } - before)
        for rank in 0..<locatingCount where switches.isSpared(rank) {
            conditions[rank] = nil
            receivers.stop(rank: rank)
        }
        receivers.advance(to: now, settings: settings)
        return true
    }

    /// Starts one more source of locations, or stops those that are not needed any more.
    /// - Returns: how many run, if that has changed.
    mutating func updateStandby(for needs: Needs, at now: BootInstant, settings: HubSettings) -> Int? {
        let need = Standby.Need(count: switches.ranks.count, isOn: demand.isOn, isForAll: needs.everySource > 0)
        receivers.setDesiredAccuracy(needs.desiredAccuracy)
        let serving = receivers.live(at: now, settings: settings)
            .flatMap { receivers.isAccurate($0) ? switches.position(of: $0.key.rank) : nil }
        standby.update(need, serving: serving, at: now, settings: settings)
        let bound = switches.bound(depth: standby.depth)
        guard bound != running else { return nil }
        stop(from: bound)
        running = bound
        return running
    }

    /// Starts the compasses with the first watch that wants headings, and stops them with the last.
    /// - Returns: whether they are to run, if that has changed.
    mutating func updateCompasses(areWanted: Bool) -> Bool? {
        guard let isWanted = compasses.update(isWanted: areWanted) else { return nil }
        if !isWanted { for rank in compasses.ranks { conditions[rank] = nil } }
        return isWanted
    }

    /// Stops sources of locations.
    mutating func stop(from rank: Int) {
        for index in conditions[..<locatingCount].indices.dropFirst(rank) { conditions[index] = nil }
        receivers.stop(from: rank)
    }

    // MARK: Time

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? {
        var next = receivers.staleAt(settings: settings)
        next.formEarlier(demand.deadline(settings: settings, enabled: permit.mayRun))
        next.formEarlier(standby.deadline(count: switches.ranks.count, settings: settings))
        next.formEarlier(power.deadline(settings))
        return next
    }

    /// A receiver that is silent loses its fix.
    mutating func advance(to now: BootInstant, settings: HubSettings) {
        receivers.advance(to: now, settings: settings)
        if let followed = receivers.followedReceiver, followed.hasFix,
            !followed.isLive(at: now, staleAfter: settings.staleAfter)
        {
            receivers.loseFix(of: followed.key, isReported: false, at: now, settings: settings)
        }
    }
}

/// One run of the sources, from the first demand to the last.
struct SourceRun {
    /// True once a fix has arrived.
    var hadFix = false
    /// When the search for the first fix began; `nil` once there is one.
    private(set) var searchBegan: BootInstant?
    /// Seconds that the search has taken, until somebody has asked for it.
    private var timeToFirstFix: Double?

    init(searchBegan: BootInstant? = nil) { self.searchBegan = searchBegan }

    mutating func fixArrived(at now: BootInstant) {
        guard let searchBegan else { return }
        timeToFirstFix = now.seconds(since: searchBegan)
        self.searchBegan = nil
    }

    mutating func consumeTimeToFirstFix() -> Double? {
        defer { timeToFirstFix = nil }
        return timeToFirstFix
    }
}
