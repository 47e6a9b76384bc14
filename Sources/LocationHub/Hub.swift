package import LocationModel
import RegionMonitoring

/// Who listens, and what each has yet to see: a pure state machine between sources and sessions.
///
/// Every input names the moment it happens at and returns what is to be done, in order. Nothing is read from a clock,
/// nothing is sent. One holder calls it from one thread.
package struct Hub {
    package var settings: HubSettings
    package internal(set) var isEnabled: Bool
    /// The newest fix of a followed receiver, however old.
    package internal(set) var lastLocation: Location?
    package internal(set) var counters = HubCounters()

    var watches = WatchTable()
    private var endings = WatchEndings()
    var monitors: MonitorTable
    var search = MonitorSearch()
    /// What hides in the receivers' pauses how far the machine is from the regions' borders; `nil` has exact pauses.
    var blur: PauseBlur?
    var generator: any RandomNumberGenerator & Sendable
    var views: Views
    var requests: [RequestID: PendingRequest] = [:]
    var receivers = Receivers()
    /// By rank.
    private(set) var names: [String]
    var sources: [SourceCondition?]
    var sequence: SequenceCounter
    var demand: Demand
    var standby = Standby()
    package internal(set) var needs = Needs()
    /// So many sources run: those of the ranks below it.
    var running = 0
    /// True since a fix came in the present run of the sources.
    var hadFix = false
    /// Since when the present run of the sources looks for its first fix; `nil` once it has it.
    var searchBegan: BootInstant?
    var timeToFirstFix: Double?
    var headingTime: BootInstant?
    var headingKey: ReceiverKey?
    /// What was last told to everybody.
    package internal(set) var announced: SourceStatus
    /// Whether the service was switched on then.
    var wasEnabled: Bool

    /// - Parameters:
    ///   - sources: the names of the configured sources by rank, the preferred one first.
    ///   - sequenceStart: numbers begin after it. The caller has kept it, with a block of
    ///     ``SequenceCounter/blockSize`` added, where a restart finds it.
    ///   - lastLocation: what was known before the start; it is marked by its age.
    ///   - reduction: how accuracy is reduced; without it those who may know roughly are told nothing.
    ///   - monitors: what an earlier run has kept; the monotonic times in it are on the present boot's clock.
    ///   - blursPauses: whether the receivers' pauses hide how far regions are.
    ///   - generator: where their length is drawn from.
    package init(
        settings: HubSettings, sources names: [String], isEnabled: Bool, sequenceStart: Int64, lastLocation: Location?,
        reduction: ReducedAccuracy? = nil, monitors: [PersistedMonitor] = [], at now: BootInstant,
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
        self.names = names
        sources = Array(repeating: nil, count: names.count)
        sequence = SequenceCounter(startingAt: max(sequenceStart, lastLocation?.sequence ?? 0))
        demand = Demand(at: now)
        announced = SourceStatus(state: .stopped)
        wasEnabled = isEnabled
        if blursPauses { blur = PauseBlur(using: &self.generator) }
        announced = sourceStatus(at: now)
    }

    /// Without monitors.
    package var watchCount: Int { watches.count - monitors.count }
    package var requestCount: Int { requests.count }
    package var isDemanded: Bool { demand.isOn }
    package var lastSequence: Int64 { sequence.last }

    /// When ``advance(to:)`` has something to do; `nil` while only inputs can change anything.
    package var nextDeadline: BootInstant? {
        let stale = receivers.all.first { $0.key == receivers.followed }?.staleAt(settings.staleAfter)
        let candidates = [
            stale, demand.deadline(settings: settings, enabled: isEnabled), nextRequestDeadline,
            standby.deadline(count: names.count, settings: settings), nextRelease, endings.next,
            isEnabled ? search.deadline(due: monitors.due, settings: settings) : nil,
        ]
        return candidates.compactMap { $0 }.min()
    }

    /// Time passed.
    package mutating func advance(to now: BootInstant) -> [HubAction] {
        receivers.advance(to: now, settings: settings)
        if let followed = receivers.all.first(where: { $0.key == receivers.followed }), followed.hasFix,
            !followed.isLive(at: now, staleAfter: settings.staleAfter)
        {
            receivers.loseFix(of: followed.key, at: now, settings: settings)
        }
        return announceChanges(at: now) + expireRequests(at: now) + releaseOverdue(at: now)
            + endOverdueWatches(at: now) + keepReduction() + updateDemand(at: now)
    }

    /// The same for who comes after a timer that is late, as after the machine has slept: what is told now must not differ
    /// from what everybody is told next.
    mutating func catchUp(to now: BootInstant) -> [HubAction] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        return advance(to: now)
    }

    /// What was told roughly must not be forgotten: drawn again, it would tell more.
    mutating func keepReduction() -> [HubAction] {
        views.takeUnkept() ? [.keepReduction] : []
    }

    /// The master switch. Off: the sources stop at once, watches are told, requests are answered `disabled`.
    package mutating func setEnabled(_ enabled: Bool, at now: BootInstant) -> [HubAction] {
        guard enabled != isEnabled else { return [] }
        isEnabled = enabled
        if !enabled { forgetHeldPositions() }
        suspendMonitors(at: now)
        return updateDemand(at: now) + announceChanges(at: now) + (enabled ? [] : answerAll(.disabled))
    }

    /// The configuration changed.
    package mutating func apply(_ settings: HubSettings, at now: BootInstant) -> [HubAction] {
        self.settings = settings
        views.setReducedInterval(settings.reducedInterval)
        return advance(to: now)
    }

    /// How accuracy is reduced, and what was told; `nil` if those who may know roughly are told nothing.
    package var reduction: ReducedAccuracy? { views.reduction }

    /// The sources were replaced: what the old ones said no longer counts.
    ///
    /// - Parameter names: of the new ones, by rank.
    package mutating func replaceSources(_ names: [String], at now: BootInstant) -> [HubAction] {
        self.names = names
        sources = Array(repeating: nil, count: names.count)
        receivers = Receivers()
        counters.forgetSources()
        standby = Standby()
        forgetRun(at: now)
        return advance(to: now)
    }

    // MARK: Watches

    /// Begins a watch. Its opening reply is among the actions, and ends it if one location was all it wanted.
    package mutating func addWatch(
        _ request: WatchRequest, permission: Permission, at now: BootInstant
    ) -> (WatchID, [HubAction]) {
        // A watch that ends by what is overdue must not have its place in the same actions.
        let id = watches.takePlace()
        let overdue = catchUp(to: now)
        var watch = Watch(request: request, permission: permission)
        let opening = watch.opening(
            status: status(for: permission, hasDemand: watch.makesDemand, at: now),
            fresh: freshLocation(for: watch.view, at: now))
        watches.set(watch, at: id)
        needs.add(watch)
        endings.add(id, request: request, at: now)
        if opening.isFinal { removeWatch(id) }
        return (id, overdue + keepReduction() + [.reply(id, opening)] + updateDemand(at: now))
    }

    /// The watch's connection is gone, or it was told its last.
    package mutating func endWatch(_ id: WatchID, at now: BootInstant) -> [HubAction] {
        removeWatch(id)
        return updateDemand(at: now)
    }

    /// Watches whose duration is over get a last reply that says so.
    private mutating func endOverdueWatches(at now: BootInstant) -> [HubAction] {
        endings.removeOverdue(at: now).compactMap { id -> HubAction? in
            guard let watch = watches[id] else { return nil }
            var status = status(for: watch.permission, hasDemand: watch.makesDemand, at: now)
            status.reason = "duration"
            guard let closing = watches.modify(id, { $0.closing(status: status) }) else { return nil }
            removeWatch(id)
            return .reply(id, closing)
        }
    }

    mutating func removeWatch(_ id: WatchID) {
        endings.remove(id)
        monitors.end(id)
        if let watch = watches.remove(id) { needs.remove(watch) }
    }
}

/// When the watches that have a duration end.
private struct WatchEndings {
    private var moments: [WatchID: BootInstant] = [:]
    /// The earliest, or earlier where that watch has ended before: the search for the earliest of thousands waits until then.
    private(set) var next: BootInstant?

    mutating func add(_ id: WatchID, request: WatchRequest, at now: BootInstant) {
        guard let duration = request.duration else { return }
        let end = now.advanced(bySeconds: duration)
        moments[id] = end
        next = min(next ?? end, end)
    }

    mutating func remove(_ id: WatchID) { moments[id] = nil }

    /// - Returns: those whose time is over, which are forgotten.
    mutating func removeOverdue(at now: BootInstant) -> [WatchID] {
        guard let next, next <= now else { return [] }
        let overdue = moments.filter { $0.value <= now }.keys.sorted { $0.slot < $1.slot }
        for id in overdue { moments[id] = nil }
        self.next = moments.values.min()
        return overdue
    }
}
