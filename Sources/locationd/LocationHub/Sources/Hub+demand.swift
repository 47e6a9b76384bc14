@_spi(Programs) import LocationModel

/// Which sources run, and since when.
extension Hub {
    mutating func updateDemand(at now: BootInstant) -> [HubAction] {
        let (mayRun, wasNeeded) = (mayRun, sources.isNeeded)
        monitors.search.update(due: mayRun ? monitors.due : nil, at: now, settings: settings)
        if rests.updateSearch(
            mayRun: mayRun, hasFix: sources.receivers.indexOfLive(at: now, settings: settings) != nil, at: now,
            settings: settings)
        {
            resumeWatches(at: now)
            rests.search.update(due: mayRun ? rests.intervals.wake : nil, at: now, settings: settings)
        }
        sources.isNeeded = findNeed(at: now)
        let reading = requestBattery(at: now)
        let needed =
            mayRun
            && (watches.needs.always > 0 || monitors.search.isSearching || rests.search.isSearching
                || requests.values.contains { !$0.request.passive })
        guard let isOn = sources.demand.update(needed: needed, enabled: mayRun, at: now, settings: settings)
        else {
            let change = reading + persistMonitorsIfChanged() + updateStandby(at: now)
            let isHeldAnew = !mayRun && sources.isNeeded != wasNeeded
            let isNews =
                isHeldAnew || isResting != announcement.isResting || !rests.resumed.isEmpty
                || hasForgottenStay(at: now)
            return isNews ? change + announceChanges(at: now) : change
        }
        sources.stop(from: 0)
        sources.beginRun(at: now)
        rests.intervals.sourcesChanged(areRunning: isOn, at: now)
        let change = reading + persistMonitorsIfChanged() + updateStandby(at: now)
        if !isOn, rests.pauses.paused.isEmpty { rests.stationary.forget() }
        let status = announceChanges(at: now)
        return change + status + (isOn ? [] : refusePassiveRequests(at: now))
    }

    /// Whether anybody wants locations, and metres that suffice for all who do; `nil` if somebody wants the best, as a
    /// monitor near a border, a watch and a request do that do not say otherwise.
    private func sufficientAccuracy(at now: BootInstant) -> (isNeeded: Bool, metres: Double?) {
        let asking = requests.values.filter { !$0.request.passive }
        let isSearching = monitors.search.isSearching
        let isNeeded = watches.needs.watches > 0 || isSearching || !asking.isEmpty
        guard watches.needs.everySource == 0, watches.needs.unstated == 0 else { return (isNeeded, nil) }
        var sufficient = asking.map { $0.view.isReduced ? views.sufficientAccuracy : $0.request.requiredAccuracy }
        if isSearching { sufficient.append(monitors.sufficientAccuracy(at: now)) }
        if watches.needs.reduced > 0 { sufficient.append(views.sufficientAccuracy) }
        if let desired = watches.needs.desiredAccuracy { sufficient.append(desired) }
        guard sufficient.allSatisfy({ $0 != nil }) else { return (isNeeded, nil) }
        return (isNeeded, sufficient.compactMap(\.self).min())
    }

    /// Starts and stops sources by what is needed now.
    mutating func updateStandby(at now: BootInstant) -> [HubAction] {
        var actions: [HubAction] = []
        // Where there is nothing to choose, a fix does not pay for the question.
        if sources.hasPowerChoice {
            let (isNeeded, accuracy) = sufficientAccuracy(at: now)
            if isNeeded, sources.updateToldAccuracy(accuracy) { actions.append(.desireAccuracy(accuracy)) }
            if sources.updatePower(isNeeded: isNeeded, accuracy: accuracy, at: now, settings: settings) {
                actions.append(.switchSources(off: sources.switches.stopped))
            }
        } else if sources.updateToldAccuracy(nil) {
            actions.append(.desireAccuracy(nil))
        }
        if let running = sources.updateStandby(for: watches.needs, at: now, settings: settings) {
            actions.append(.demand(running))
        }
        let areWanted = isEnabled && !holds.sleep.isActive && watches.needs.headings > 0
        if let areRunning = sources.updateCompasses(areWanted: areWanted) {
            actions.append(.demandCompasses(areRunning))
        }
        updateReceiverTime(at: now)
        return actions
    }
}
