package import LocationModel

/// Which sources run, and since when.
extension Hub {
    mutating func updateDemand(at now: BootInstant) -> [HubAction] {
        let (mayRun, wasNeeded) = (mayRun, isNeeded)
        search.update(due: mayRun ? monitors.due : nil, at: now, settings: settings)
        updateIntervalSearch(at: now)
        isNeeded = findNeed(at: now)
        let reading = requestBattery(at: now)
        let needed =
            mayRun
            && (needs.always > 0 || search.isSearching || intervalSearch.isSearching
                || requests.values.contains { !$0.request.passive })
        guard let isOn = demand.update(needed: needed, enabled: mayRun, at: now, settings: settings)
        else {
            let change = reading + persistMonitorsIfChanged() + updateStandby(at: now)
            let isHeldAnew = !mayRun && isNeeded != wasNeeded
            let isNews = isHeldAnew || isResting != wasResting || !resumed.isEmpty || hasForgottenStay(at: now)
            return isNews ? change + announceChanges(at: now) : change
        }
        stopSources(from: 0)
        forgetRun(at: now)
        intervals.sourcesChanged(areRunning: isOn, at: now)
        let change = reading + persistMonitorsIfChanged() + updateStandby(at: now)
        if !isOn, pauses.paused.isEmpty { stationary.forget() }
        let status = announceChanges(at: now)
        return change + status + (isOn ? [] : refusePassiveRequests(at: now))
    }

    /// Watches that are paused resume if the receivers may not run, or find no fix: the machine may have moved.
    private mutating func updateIntervalSearch(at now: BootInstant) {
        let mayRun = mayRun
        let wasSearching = intervalSearch.isSearching
        intervalSearch.update(due: mayRun ? intervals.wake : nil, at: now, settings: settings)
        let hasFailed = wasSearching && !intervalSearch.isSearching && intervals.wake.map { $0 <= now } ?? false
        // Another watch may have searched in vain for a more accurate fix.
        let isBlind = hasFailed && receivers.indexOfLive(at: now, settings: settings) == nil
        guard !mayRun || isBlind, !pauses.paused.isEmpty else { return }
        stationary.forget()
        resumeWatches(at: now)
        intervalSearch.update(due: mayRun ? intervals.wake : nil, at: now, settings: settings)
    }

    /// Starts one more source, or stops those that are not needed any more.
    mutating func updateStandby(at now: BootInstant) -> [HubAction] {
        let need = Standby.Need(count: switches.ranks.count, isOn: demand.isOn, isForAll: needs.everySource > 0)
        receivers.setDesiredAccuracy(needs.desiredAccuracy)
        let serving = receivers.live(at: now, settings: settings)
            .flatMap { receivers.isAccurate($0) ? switches.position(of: $0.key.rank) : nil }
        standby.update(need, serving: serving, at: now, settings: settings)
        defer { updateReceiverTime(at: now) }
        let change = updateCompasses()
        let bound = switches.bound(depth: standby.depth)
        guard bound != running else { return change }
        stopSources(from: bound)
        running = bound
        return [.demand(running)] + change
    }

    /// Starts the compasses with the first watch that wants headings, and stops them with the last.
    private mutating func updateCompasses() -> [HubAction] {
        guard let isWanted = compasses.update(isWanted: isEnabled && !sleep.isActive && needs.headings > 0) else {
            return []
        }
        if !isWanted { for rank in compasses.ranks { sources[rank] = nil } }
        return [.demandCompasses(isWanted)]
    }

    /// Stops sources of locations.
    mutating func stopSources(from rank: Int) {
        for index in sources[..<locatingCount].indices.dropFirst(rank) { sources[index] = nil }
        receivers.stop(from: rank)
    }

    /// Begins another run of the sources: whether they have a fix and a compass is unknown again.
    mutating func forgetRun(at now: BootInstant) {
        hadFix = false
        searchBegan = demand.isOn ? now : nil
        timeToFirstFix = nil
        compasses.forgetRun()
    }
}

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

extension Hub {
    /// The name of the receiver's source, or of the injector.
    func name(of receiver: Receiver) -> String? {
        names.indices.contains(receiver.key.rank) ? names[receiver.key.rank] : receiver.lastFix?.source.name
    }

    /// The sources of locations by rank, with the reason why each serves or not.
    func ranking(at now: BootInstant) -> [RankedSource] {
        (0..<locatingCount).map { rank in
            let own = receivers.all.filter { $0.key.rank == rank }
            let state = state(of: rank, own, at: now)
            var source = RankedSource(name: names[rank], state: state)
            source.fixAge = own.compactMap { $0.lastFix?.age(at: now) }.min()
            if state != .tracking {
                source.reason = sources[rank]?.reason ?? doubtReason(of: own.first { $0.heldBack != nil })
            }
            if switches.isOff(rank) {
                source.reason = Self.offReason([names[rank]])
            } else if state == .stopped, isNeeded {
                source.reason = hold?.status.reason
            }
            if state == .lost, source.reason == nil { source.reason = lossReason(of: own.first { $0.isSameRun }) }
            return source
        }
    }

    /// The state of a compass, with the reason why it gives no headings.
    func compass(of rank: Int, at now: BootInstant) -> RankedSource {
        let state: SourceState
        switch sources[rank] {
        case nil: state = compasses.isRunning ? .starting : .stopped
        case .connecting: state = .starting
        case .unavailable: state = .unavailable
        case .connected:
            let isFollowed = compasses.isFollowed(rank, at: now, staleAfter: settings.staleAfter)
            state = isFollowed ? .tracking : .searching
        }
        var source = RankedSource(name: names[rank], state: state)
        source.reason = sources[rank]?.reason ?? compasses.failures[rank]
        return source
    }

    private func state(of rank: Int, _ own: [Receiver], at now: BootInstant) -> SourceState {
        if own.contains(where: { $0.isLive(at: now, staleAfter: settings.staleAfter) }) { return .tracking }
        let hadFix = own.contains { $0.isSameRun }
        switch sources[rank] {
        case nil where rank >= running || switches.isOff(rank): return .stopped
        case nil, .connecting: return hadFix ? .lost : .starting
        case .connected: return hadFix ? .lost : .searching
        case .unavailable: return .unavailable
        }
    }

    /// Why a receiver's fixes are not believed, in words; `nil` if they are.
    func doubtReason(of receiver: Receiver?) -> String? {
        guard let receiver, let reason = receiver.heldBack?.reason else { return nil }
        let name = receiver.key.device ?? "the receiver"
        switch reason {
        case .nullIsland:
            return "\(name) reports latitude 0, longitude 0, which is not believed while it does not move; "
                + "a clear view of the sky helps"
        case .jump:
            return "\(name) reports a place that it cannot have reached; it is believed after "
                + "\(settings.plausibility.confirmations) fixes that agree"
        case .timeRunsBack:
            return "\(name) reports a time before that of its last fix; it is believed after "
                + "\(settings.plausibility.confirmations) fixes that agree"
        case .unknown: return "\(name) reports fixes that are not believed"
        }
    }

    func lossReason(of receiver: Receiver?) -> String {
        guard let receiver else { return "the receiver has no fix" }
        if let doubt = doubtReason(of: receiver) { return doubt }
        let name = receiver.key.device ?? "the receiver"
        return receiver.hasReportedNoFix
            ? "\(name) has lost its fix; a clear view of the sky helps"
            : "\(name) has stopped sending fixes; check its power and cable"
    }
}
