package import LocationModel
import RegionMonitoring

/// Holds the subscribers and what each has yet to receive: a pure state machine between sources and sessions.
///
/// Every input carries its time and returns the actions to perform, in order. The hub reads no clock and does no I/O.
/// One owner calls it from one thread.
package struct Hub {
    package var settings: HubSettings
    package internal(set) var isEnabled: Bool
    /// The newest fix of a followed receiver, however old.
    package internal(set) var lastLocation: Location?
    package internal(set) var counters = HubCounters()
    /// The system's clock, if it is known.
    package var wallClock: WallClock?

    var watches = WatchTable()
    /// When watches with a duration end.
    private var endings = WatchDeadlines()
    /// When locations that are held are sent.
    var batchDeadlines = WatchDeadlines()
    var monitors: MonitorTable
    var search = MonitorSearch()
    /// Randomizes the receivers' pauses to hide how far the machine is from region borders; `nil` for exact pauses.
    var blur: PauseBlur?
    var generator: any RandomNumberGenerator & Sendable
    var views: Views
    var requests: [RequestID: PendingRequest] = [:]
    var receivers = Receivers()
    /// The configured sources' names: those of locations by rank, then the compasses.
    private(set) var names: [String]
    var switches: SourceSwitches
    var compasses: Compasses
    var sources: [SourceCondition?]
    var sequence: SequenceCounter
    var demand: Demand
    var standby = Standby()
    package internal(set) var needs = Needs()
    /// Whether somebody needed the sources when that was last examined, even if they may not run.
    var isNeeded = false
    var sleep = SleepHold()
    var battery = BatteryGuard()
    var intervals = IntervalDemand()
    /// Whether the sources run for the watches of `intervals`.
    var intervalSearch = MonitorSearch()
    /// Whether the sources were off between two locations of such watches when that was last examined.
    var wasResting = false
    var stationary = StationaryDetector()
    var pauses = Pauses()
    /// Watches whose pause has ended and whose clients have not been sent that yet.
    var resumed: Set<WatchID> = []
    var receiverTime: ReceiverTime
    /// How many sources run: those with a rank below this.
    var running = 0
    /// True once a fix has arrived in the present run of the sources.
    var hadFix = false
    /// When the search for the first fix of the present run began; `nil` once there is one.
    var searchBegan: BootInstant?
    var timeToFirstFix: Double?
    /// The status last announced to all watches.
    package internal(set) var announced: SourceStatus
    /// Whether the service was switched on at that announcement.
    var wasEnabled: Bool

    /// - Parameters:
    ///   - sources: the names of the configured sources of locations by rank, the preferred one first.
    ///   - compasses: the names of the sources that give headings alone; their ranks follow.
    ///   - switchedOff: the names of sources that an administrator has switched off.
    ///   - sequenceStart: numbers begin after it. The caller has persisted it, with a block of
    ///     ``SequenceCounter/blockSize`` added.
    ///   - lastLocation: the last location of an earlier run; its age marks it as old.
    ///   - reduction: how accuracy is reduced; without it, clients with reduced accuracy receive no locations.
    ///   - monitors: the persisted monitors; their monotonic times are on the present boot's clock.
    ///   - blursPauses: whether the receivers' pauses are randomized to hide how far regions are.
    ///   - generator: the source of randomness for the pauses.
    package init(
        settings: HubSettings, sources locating: [String], compasses: [String] = [], switchedOff: Set<String> = [],
        isEnabled: Bool, sequenceStart: Int64, lastLocation: Location?, reduction: ReducedAccuracy? = nil,
        monitors: [PersistedMonitor] = [], at now: BootInstant,
        blursPauses: Bool = true,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.settings = settings
        self.generator = generator
        self.isEnabled = isEnabled
        self.lastLocation = lastLocation
        self.monitors = MonitorTable(monitors)
        views = Views(reduction: reduction)
        views.setReducedInterval(settings.reducedInterval)
        names = locating + compasses
        self.compasses = Compasses(ranks: locating.count..<names.count)
        switches = SourceSwitches(off: switchedOff, names: names, locatingCount: locating.count)
        sources = Array(repeating: nil, count: names.count)
        sequence = SequenceCounter(startingAt: max(sequenceStart, lastLocation?.sequence ?? 0))
        demand = Demand(at: now)
        receiverTime = ReceiverTime(at: now)
        announced = SourceStatus(state: .stopped)
        wasEnabled = isEnabled
        if blursPauses { blur = PauseBlur(using: &self.generator) }
        announced = sourceStatus(at: now)
    }

    /// The number of watches without monitors.
    package var watchCount: Int { watches.count - monitors.count }
    package var requestCount: Int { requests.count }
    package var isDemanded: Bool { demand.isOn }
    /// How many sources give locations.
    var locatingCount: Int { compasses.ranks.lowerBound }
    package var lastSequence: Int64 { sequence.last }

    /// When ``advance(to:)`` has something to do; `nil` while only inputs can change anything.
    package var nextDeadline: BootInstant? {
        var next = receivers.staleAt(settings: settings)
        next.formEarlier(demand.deadline(settings: settings, enabled: mayRun))
        next.formEarlier(nextRequestDeadline)
        next.formEarlier(standby.deadline(count: switches.ranks.count, settings: settings))
        next.formEarlier(sleep.deadline)
        next.formEarlier(batteryDeadline)
        next.formEarlier(nextRelease)
        next.formEarlier(endings.next)
        next.formEarlier(batchDeadlines.next)
        if mayRun {
            next.formEarlier(search.deadline(due: monitors.due, settings: settings))
            next.formEarlier(intervalSearch.deadline(due: intervals.wake, settings: settings))
        } else if isEnabled, !isNeeded {
            next.formEarlier(monitors.due)
            next.formEarlier(intervals.wake)
        }
        return next
    }

    /// Processes the deadlines that have passed.
    package mutating func advance(to now: BootInstant) -> [HubAction] {
        sleep.advance(to: now)
        receivers.advance(to: now, settings: settings)
        if let followed = receivers.followedReceiver, followed.hasFix,
            !followed.isLive(at: now, staleAfter: settings.staleAfter)
        {
            receivers.loseFix(of: followed.key, isReported: false, at: now, settings: settings)
        }
        // Sources that may run again are started before the status is announced.
        let start = isNeeded && mayRun && !demand.isOn ? updateDemand(at: now) : []
        return start + announceChanges(at: now) + expireRequests(at: now) + releaseOverdue(at: now)
            + endOverdueWatches(at: now) + releaseOverdueBatches(at: now) + persistReductionIfChanged()
            + updateDemand(at: now)
    }

    /// Processes overdue deadlines first when an input arrives before a late timer (after suspend), so that a client
    /// that joins now gets the same status as the others.
    mutating func catchUp(to now: BootInstant) -> [HubAction] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        return advance(to: now)
    }

    /// Persists the reduction state: a fresh random displacement would give an observer a second sample of the
    /// position.
    mutating func persistReductionIfChanged() -> [HubAction] {
        views.consumeUnpersistedChanges() ? [.persistReduction] : []
    }

    /// The master switch. Off: the sources stop at once, watches receive the new status, requests are answered
    /// `disabled`.
    package mutating func setEnabled(_ enabled: Bool, at now: BootInstant) -> [HubAction] {
        guard enabled != isEnabled else { return [] }
        isEnabled = enabled
        if !enabled { forgetHeldPositions() }
        suspendMonitors(at: now)
        return updateDemand(at: now) + announceChanges(at: now) + (enabled ? [] : answerAll(.disabled))
    }

    /// Applies a changed configuration.
    package mutating func apply(_ settings: HubSettings, at now: BootInstant) -> [HubAction] {
        if settings.minimumBattery != self.settings.minimumBattery { battery.expire() }
        self.settings = settings
        views.setReducedInterval(settings.reducedInterval)
        return advance(to: now)
    }

    /// The reduction state; `nil` if clients with reduced accuracy receive no locations.
    package var reduction: ReducedAccuracy? { views.reduction }

    /// Replaces the sources; the state of the old ones no longer counts.
    ///
    /// - Parameters:
    ///   - locating: the names of the new sources of locations, by rank.
    ///   - compasses: the names of those that give headings alone.
    package mutating func replaceSources(
        _ locating: [String], compasses: [String] = [], at now: BootInstant
    ) -> [HubAction] {
        names = locating + compasses
        self.compasses.replace(ranks: locating.count..<names.count)
        switches = SourceSwitches(off: switches.off, names: names, locatingCount: locating.count)
        sources = Array(repeating: nil, count: names.count)
        receivers = Receivers()
        counters.forgetSources()
        standby = Standby()
        forgetRun(at: now)
        return advance(to: now)
    }

    // MARK: Watches

    /// Begins a watch. Its opening reply is among the actions; if one location was all it asked for, that reply ends
    /// it.
    /// - Parameter account: whose share of the receivers' time it adds to; see ``receiverTime(of:at:)``.
    package mutating func addWatch(
        _ request: WatchRequest, permission: Permission, account: Int? = nil, at now: BootInstant
    ) -> (WatchID, [HubAction]) {
        // Reserved before `catchUp`, so that the slot of a watch that ends there is not reused within the same actions.
        let id = watches.allocateSlot()
        let overdue = catchUp(to: now)
        var watch = Watch(request: request, permission: permission)
        watch.account = account
        let opening = watch.opening(
            status: status(for: watch.permission, hasDemand: watch.makesDemand, at: now),
            fresh: freshLocation(for: watch.view, at: now))
        insert(watch, at: id)
        needs.add(watch)
        if watch.needsReceiversAlways { receiverTime.set(.watch(id), account: account, needsReceivers: true) }
        intervals.add(id, watch, servedBy: opening.location, at: now)
        pauses.update(id, watch)
        if let duration = request.duration { endings.add(id, at: now.advanced(bySeconds: duration)) }
        if opening.isFinal { removeWatch(id) }
        return (id, overdue + persistReductionIfChanged() + [.reply(id, opening)] + updateDemand(at: now))
    }

    /// Removes a watch whose connection is gone or that received its last reply.
    package mutating func endWatch(_ id: WatchID, at now: BootInstant) -> [HubAction] {
        removeWatch(id)
        return updateDemand(at: now)
    }

    /// Sends watches whose duration is over a last reply that says so.
    private mutating func endOverdueWatches(at now: BootInstant) -> [HubAction] {
        endings.removeOverdue(at: now).flatMap { id -> [HubAction] in
            guard let watch = watches[id] else {
                counters.countInternalError("a watch that has ended has a duration")
                return []
            }
            let held = flushBatches(of: [id])
            var status = status(for: watch.permission, hasDemand: watch.makesDemand, at: now)
            status.reason = "duration"
            guard let closing = watches.modify(id, { $0.closing(status: status) }) else { return held }
            removeWatch(id)
            return held + [.reply(id, closing)]
        }
    }

    /// - Parameter id: from ``WatchTable/allocateSlot()``.
    mutating func insert(_ watch: Watch, at id: WatchID) {
        if !watches.set(watch, at: id) { counters.countInternalError("a watch's slot is not free") }
    }

    mutating func removeWatch(_ id: WatchID) {
        endings.remove(id)
        batchDeadlines.remove(id)
        intervals.remove(id)
        pauses.remove(id)
        monitors.end(id)
        receiverTime.set(.watch(id), needsReceivers: false)
        if let watch = watches.remove(id) { needs.remove(watch) }
    }
}

extension BootInstant? {
    /// Takes the other moment if it is earlier. An array of candidates would be allocated for every fix.
    fileprivate mutating func formEarlier(_ other: BootInstant?) {
        guard let other else { return }
        self = map { Swift.min($0, other) } ?? other
    }
}
