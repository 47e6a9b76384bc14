@_spi(Programs) package import LocationModel
@_spi(Programs) import RegionMonitoring

/// Holds the subscribers and what each has yet to receive: a pure state machine between sources and sessions, made of
/// parts with a state of their own (``HubPart``). The extensions join what several of them have to do for one input.
///
/// Every input carries its time and returns the actions to perform, in order. The hub reads no clock and does no I/O.
/// One owner calls it from one thread. It cannot be copied, which would cost more than most inputs.
package struct Hub: ~Copyable {
    package var settings: HubSettings
    package internal(set) var isEnabled: Bool
    /// The newest fix of a followed receiver, however old.
    package internal(set) var lastLocation: Location?
    package internal(set) var counters = HubCounters()
    /// The system's clock, if it is known.
    package var wallClock: WallClock?

    var watches = WatchTable()
    var monitors: MonitorTable
    var requests: [RequestID: PendingRequest] = [:]
    var views: Views
    var sources: Sources
    var sequence: SequenceCounter
    var holds = Holds()
    var rests = Rests()
    var receiverTime: ReceiverTime
    var announcement: Announcement
    var estimates = Estimates()

    /// - Parameters:
    ///   - sources: the names of the configured sources of locations by rank, the preferred one first.
    ///   - compasses: the names of the sources that give headings alone; their ranks follow.
    ///   - lowPower: the names of the sources that cost hardly any power.
    ///   - switchedOff: the names of sources that an administrator has switched off.
    ///   - sequenceStart: numbers begin after it. The caller has persisted it, with a block of
    ///     ``SequenceCounter/blockSize`` added.
    ///   - lastLocation: the last location of an earlier run; its age marks it as old.
    ///   - reduction: how accuracy is reduced; without it, clients with reduced accuracy receive no locations.
    ///   - monitors: the persisted monitors; their monotonic times are on the present boot's clock.
    ///   - blursPauses: whether the receivers' pauses are randomized to hide how far regions are.
    ///   - generator: the source of randomness for the pauses.
    package init(
        settings: HubSettings, sources locating: [String], compasses: [String] = [], lowPower: Set<String> = [],
        switchedOff: Set<String> = [], isEnabled: Bool, sequenceStart: Int64, lastLocation: Location?,
        reduction: ReducedAccuracy? = nil,
        monitors: [PersistedMonitor] = [], at now: BootInstant,
        blursPauses: Bool = true,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.settings = settings
        self.isEnabled = isEnabled
        self.lastLocation = lastLocation
        self.monitors = MonitorTable(monitors, blursPauses: blursPauses, generator: generator)
        views = Views(reduction: reduction)
        views.setReducedInterval(settings.reducedInterval)
        sources = Sources(
            locating, compasses: compasses, lowPower: lowPower, switchedOff: switchedOff, at: now)
        if let lastLocation { sources.receivers.rememberFix(lastLocation) }
        sequence = SequenceCounter(startingAt: max(sequenceStart, lastLocation?.sequence ?? 0))
        receiverTime = ReceiverTime(at: now)
        announcement = Announcement(status: SourceStatus(state: .stopped), isEnabled: isEnabled)
        announcement.status = sourceStatus(at: now)
    }

    /// The number of watches without monitors.
    package var watchCount: Int { watches.count - monitors.count }
    package var requestCount: Int { requests.count }
    package var isDemanded: Bool { sources.demand.isOn }
    /// What the watches need of the sources.
    package var needs: Needs {
        _read { yield watches.needs }
    }
    /// The status last announced to all watches; not copied, because it is read for each fix.
    package var announced: SourceStatus {
        _read { yield announcement.status }
    }
    package var lastSequence: Int64 { sequence.last }

    private var sourcePermit: SourcePermit {
        SourcePermit(isEnabled: isEnabled, mayRun: mayRun, isNeeded: sources.isNeeded)
    }

    /// When ``advance(to:)`` has something to do; `nil` while only inputs can change anything.
    package var nextDeadline: BootInstant? {
        let permit = sourcePermit
        var next = sources.deadline(settings, permit)
        next.formEarlier(watches.deadline(settings, permit))
        next.formEarlier(monitors.deadline(settings, permit))
        next.formEarlier(rests.deadline(settings, permit))
        next.formEarlier(holds.deadline(settings, permit))
        next.formEarlier(estimates.deadline(settings, permit))
        next.formEarlier(nextRequestDeadline)
        return next
    }

    /// Processes the deadlines that have passed.
    package mutating func advance(to now: BootInstant) -> [HubAction] { advance(to: now, predicting: true) }

    private mutating func advance(to now: BootInstant, predicting: Bool) -> [HubAction] {
        holds.advance(to: now, settings: settings)
        sources.advance(to: now, settings: settings)
        // Sources that may run again are started before the status is announced.
        let start = sources.isNeeded && mayRun && !sources.demand.isOn ? updateDemand(at: now) : []
        let announcements = announceChanges(at: now)
        let predictions = predicting ? predict(at: now) : []
        return start + announcements + predictions + expireRequests(at: now) + releaseOverdue(at: now)
            + endOverdueWatches(at: now) + releaseOverdueBatches(at: now) + persistReductionIfChanged()
            + updateDemand(at: now)
    }

    /// Processes overdue deadlines first when an input arrives before a late timer (after suspend), so that a client
    /// that joins now gets the same status as the others.
    ///
    /// - Parameter predicting: whether predictions that are due are sent; otherwise they are due afterwards.
    mutating func catchUp(to now: BootInstant, predicting: Bool = true) -> [HubAction] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        return advance(to: now, predicting: predicting)
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
        if settings.minimumBattery != self.settings.minimumBattery { holds.battery.expire() }
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
    ///   - lowPower: the names of those that cost hardly any power.
    package mutating func replaceSources(
        _ locating: [String], compasses: [String] = [], lowPower: Set<String> = [], at now: BootInstant
    ) -> [HubAction] {
        estimates.end()
        sources.replace(locating, compasses: compasses, lowPower: lowPower, at: now)
        counters.forgetSources()
        return advance(to: now)
    }

    // MARK: Watches

    /// Begins a watch. Its opening reply is among the actions; if one location was all it asked for, that reply ends
    /// it.
    /// - Parameters:
    ///   - account: whose share of the receivers' time it adds to; see ``receiverTime(of:at:)``.
    ///   - bind: is given the watch's number, before there is an action for it.
    package mutating func addWatch(
        _ request: WatchRequest, permission: Permission, account: Int? = nil, at now: BootInstant,
        bind: (WatchID) -> Void
    ) -> [HubAction] {
        // Reserved before `catchUp`, so that the slot of a watch that ends there is not reused within the same actions.
        let id = watches.allocateSlot()
        let overdue = catchUp(to: now)
        var watch = Watch(request: request, permission: permission)
        watch.account = account
        watch.restReason = rests.intervals.reasonToRunOn(for: watch)
        let opening = watch.opening(
            status: openingStatus(of: watch, at: now), fresh: openingLocation(of: watch, at: now))
        insert(watch, at: id, endingAt: request.duration.map { now.advanced(bySeconds: $0) })
        if watch.needsReceiversAlways { receiverTime.set(.watch(id), account: account, needsReceivers: true) }
        rests.intervals.add(id, watch, servedBy: opening.location, at: now)
        rests.pauses.update(id, watch)
        if opening.isFinal { removeWatch(id) }
        bind(id)
        return overdue + persistReductionIfChanged() + [.reply(id, opening)] + updateDemand(at: now)
    }

    /// Removes a watch whose connection is gone or that received its last reply.
    package mutating func endWatch(_ id: WatchID, at now: BootInstant) -> [HubAction] {
        removeWatch(id)
        return updateDemand(at: now)
    }

    /// Sends watches whose duration is over a last reply that says so.
    private mutating func endOverdueWatches(at now: BootInstant) -> [HubAction] {
        watches.consumeEndings(at: now).flatMap { id -> [HubAction] in
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
    mutating func insert(_ watch: Watch, at id: WatchID, endingAt end: BootInstant? = nil) {
        if !watches.set(watch, at: id, endingAt: end) { counters.countInternalError("a watch's slot is not free") }
    }

    mutating func removeWatch(_ id: WatchID) {
        rests.removeWatch(id)
        monitors.removeWatch(id)
        receiverTime.set(.watch(id), needsReceivers: false)
        watches.removeWatch(id)
    }
}
