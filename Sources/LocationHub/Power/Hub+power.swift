package import LocationModel

/// What keeps the sources from running although the service is on and somebody needs them.
enum SourceHold: Equatable {
    case sleep
    case battery(percent: Int, minimum: Int)
    /// Every source is switched off.
    case switches(reason: String)

    var status: SourceStatus {
        switch self {
        case .sleep: SourceStatus(state: .stopped, reason: "the machine is going to sleep")
        case .battery(let percent, let minimum):
            SourceStatus(
                state: .unavailable,
                reason: "the battery is at \(percent) %, below the \(minimum) % of power.minimum-battery")
        case .switches(let reason): SourceStatus(state: .unavailable, reason: reason)
        }
    }
}

/// Sources off while the machine sleeps, while the battery is low, and one by one.
extension Hub {
    /// Whether the sources may run if somebody needs them.
    var mayRun: Bool { isEnabled && hold == nil }

    var hold: SourceHold? {
        if locatingCount > 0, switches.ranks.isEmpty {
            return .switches(reason: Self.offReason(Array(names.prefix(locatingCount))))
        }
        if sleep.isActive { return .sleep }
        guard let minimum = settings.minimumBattery, battery.isLow, let percent = battery.percent else { return nil }
        return .battery(percent: Int(percent), minimum: minimum)
    }

    /// Whether somebody needs the sources, even if they may not run.
    func findNeed(at now: BootInstant) -> Bool {
        isEnabled
            && (needs.always > 0 || [monitors.due, intervals.wake].contains { $0.map { $0 <= now } ?? false }
                || requests.values.contains { !$0.request.passive })
    }

    /// Whether the sources are off between two locations of the watches that want one only every so often.
    var isResting: Bool { !intervals.isEmpty && mayRun && !demand.isOn }

    // MARK: Sleep

    /// The machine is about to sleep: the sources stop, and watches and requests stay.
    package mutating func prepareForSleep(at now: BootInstant) -> [HubAction] {
        sleep.begin(at: now)
        return updateDemand(at: now) + announceChanges(at: now)
    }

    /// The machine is awake again.
    package mutating func resume(at now: BootInstant) -> [HubAction] {
        sleep.finish()
        return advance(to: now)
    }

    // MARK: Battery

    /// The charge that counts at present, and how many readings were not believed; `nil` if it does not matter.
    package var batteryState: (percent: Double?, isDischarging: Bool, isLow: Bool, faults: Int)? {
        guard settings.minimumBattery != nil else { return nil }
        return (battery.percent, battery.isDischarging, battery.isLow, battery.faults)
    }

    /// Applies the reading that ``HubAction/readBattery`` requested.
    /// - Returns: the actions, and what is wrong with the reading if it is not believed.
    package mutating func applyBattery(
        _ reading: BatteryReading, at now: BootInstant
    ) -> (actions: [HubAction], fault: String?) {
        let fault = battery.apply(reading, minimum: settings.minimumBattery ?? 0, at: now)
        return (updateDemand(at: now) + announceChanges(at: now) + answerHeldRequests(at: now), fault)
    }

    /// Requests a reading while one matters.
    mutating func requestBattery(at now: BootInstant) -> [HubAction] {
        guard settings.minimumBattery != nil, isNeeded, battery.requestIfDue(at: now) else { return [] }
        return [.readBattery]
    }

    /// When the next reading is due.
    var batteryDeadline: BootInstant? {
        settings.minimumBattery != nil && isNeeded ? battery.nextDeadline : nil
    }

    /// Requests that would wait in vain are answered at once: but those that may be answered after the machine has
    /// slept wait, and all wait for a reading of the battery that is under way.
    mutating func answerHeldRequests(at now: BootInstant) -> [HubAction] {
        guard isEnabled, let hold, hold != .sleep else { return [] }
        if case .battery = hold, battery.isReading { return [] }
        let waiting = requests.filter { !$0.value.request.passive }.sorted { $0.key.number < $1.key.number }
        guard !waiting.isEmpty else { return [] }
        let answers = waiting.map { id, pending -> HubAction in
            removeRequest(id)
            let best = pending.best ?? freshLocation(for: pending.view, at: now)
            return .answer(id, .unavailable(reason: hold.status.reason ?? "", best: best))
        }
        return answers + updateDemand(at: now)
    }

    // MARK: Switches

    /// The configured sources' names by rank.
    package var sourceNames: [String] { names }

    /// The names of the sources that are switched off, also of some that are not configured now.
    package var switchedOffSources: Set<String> { switches.off }

    /// Switches one source off or on; the others replace it at once.
    /// - Parameter name: one of ``sourceNames``; another one changes nothing.
    package mutating func setSource(_ name: String, enabled: Bool, at now: BootInstant) -> [HubAction] {
        guard let rank = names.firstIndex(of: name), switches.isOff(rank) == enabled else { return [] }
        let runs = rank < running
        var off = switches.off
        if enabled { off.remove(name) } else { off.insert(name) }
        switches = SourceSwitches(off: off, names: names, locatingCount: locatingCount)
        if compasses.ranks.contains(rank) {
            compasses.applyCondition(
                enabled ? .connected(reason: nil) : .unavailable(reason: Self.offReason([name])), from: rank)
        }
        // Those that run go on; one that is switched on among them starts beside them, until it has a fix.
        if runs { standby.changeCount(by: enabled ? 1 : -1) }
        sources[rank] = nil
        receivers.stop(rank: rank)
        receivers.advance(to: now, settings: settings)
        return [.switchSources(off: off)] + updateDemand(at: now) + announceChanges(at: now)
            + answerHeldRequests(at: now)
    }

    static func offReason(_ names: [String]) -> String {
        let (subject, name) = names.count == 1 ? (names[0], names[0]) : ("every source", "NAME")
        return "\(subject) is switched off by an administrator; `sudo locctl source \(name) on` switches it on"
    }
}
