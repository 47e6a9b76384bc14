@_spi(Programs) package import LocationModel

/// Sources off while the machine sleeps, while the battery is low, and one by one.
extension Hub {
    /// Whether the sources may run if somebody needs them.
    var mayRun: Bool { isEnabled && hold == nil }

    var hold: SourceHold? {
        if sources.locatingCount > 0, sources.switches.areAllOff {
            return .switches(reason: Sources.offReason(Array(sources.names.prefix(sources.locatingCount))))
        }
        return holds.present(settings)
    }

    /// Whether somebody needs the sources, even if they may not run.
    func findNeed(at now: BootInstant) -> Bool {
        isEnabled
            && (watches.needs.always > 0
                || [monitors.due, rests.intervals.wake].contains { $0.map { $0 <= now } ?? false }
                || requests.values.contains { !$0.request.passive })
    }

    /// Whether the sources are off between two locations of the watches that want one only every so often.
    var isResting: Bool { !rests.intervals.isEmpty && mayRun && !sources.demand.isOn }

    // MARK: Sleep

    /// The machine is about to sleep: the sources stop, and watches and requests stay.
    package mutating func prepareForSleep(at now: BootInstant) -> [HubAction] {
        holds.sleep.begin(at: now)
        return updateDemand(at: now) + announceChanges(at: now)
    }

    /// The machine is awake again.
    package mutating func resume(at now: BootInstant) -> [HubAction] {
        holds.sleep.finish()
        return advance(to: now)
    }

    // MARK: Battery

    /// The charge that counts at present, and how many readings were not believed; `nil` if it does not matter.
    package var batteryState: (percent: Double?, isDischarging: Bool, isLow: Bool, faults: Int)? {
        guard settings.minimumBattery != nil else { return nil }
        return (holds.battery.percent, holds.battery.isDischarging, holds.battery.isLow, holds.battery.faults)
    }

    /// Applies the reading that ``HubAction/readBattery`` requested.
    /// - Returns: the actions, and what is wrong with the reading if it is not believed.
    package mutating func applyBattery(
        _ reading: BatteryReading, at now: BootInstant
    ) -> (actions: [HubAction], fault: String?) {
        let fault = holds.battery.apply(reading, minimum: settings.minimumBattery ?? 0, at: now)
        return (updateDemand(at: now) + announceChanges(at: now) + answerHeldRequests(at: now), fault)
    }

    /// Requests a reading while one matters.
    mutating func requestBattery(at now: BootInstant) -> [HubAction] {
        guard settings.minimumBattery != nil, sources.isNeeded, holds.battery.requestIfDue(at: now) else { return [] }
        return [.readBattery]
    }

    /// Requests that would wait in vain are answered at once: but those that may be answered after the machine has
    /// slept wait, and all wait for a reading of the battery that is under way.
    mutating func answerHeldRequests(at now: BootInstant) -> [HubAction] {
        guard isEnabled, let hold, hold != .sleep else { return [] }
        if case .battery = hold, holds.battery.isReading { return [] }
        let waiting = requests.filter { !$0.value.request.passive }.sorted { $0.key.number < $1.key.number }
        guard !waiting.isEmpty else { return [] }
        let answers = waiting.map { id, pending -> HubAction in
            removeRequest(id)
            let best = pending.best ?? freshLocation(for: pending.request, pending.view, at: now)
            return .answer(id, .unavailable(reason: hold.status.reason ?? "", best: best))
        }
        return answers + updateDemand(at: now)
    }

    // MARK: Switches

    /// The configured sources' names by rank.
    package var sourceNames: [String] { sources.names }

    /// The names of the sources that are switched off, also of some that are not configured now.
    package var switchedOffSources: Set<String> { sources.switches.off }

    /// Seconds for which the receivers were spared, because a source that costs hardly any power was accurate enough;
    /// `nil` if no such source is configured.
    package func sparedTime(at now: BootInstant) -> Double? {
        sources.lowPower.isEmpty ? nil : sources.power.sparedTime(at: now)
    }

    /// Switches one source off or on; the others replace it at once.
    /// - Parameter name: one of ``sourceNames``; another one changes nothing.
    package mutating func setSource(_ name: String, enabled: Bool, at now: BootInstant) -> [HubAction] {
        guard let rank = sources.names.firstIndex(of: name), sources.switches.isOff(rank) == enabled else { return [] }
        sources.setSource(rank, enabled: enabled, at: now, settings: settings)
        return [.switchSources(off: sources.switches.stopped)] + updateDemand(at: now) + announceChanges(at: now)
            + answerHeldRequests(at: now)
    }
}
