@_spi(Programs) package import LocationModel

extension Hub {
    /// A view of the sky older than this many seconds is not shown.
    static let skyLifetime = 10.0

    /// The service status as one principal may see it: whether there is a fix for it, and why not.
    ///
    /// The receivers' pauses are longer the farther the machine is from monitored regions, so when they run reveals
    /// that distance. A client without full accuracy therefore sees the sources' state only while its own demand keeps
    /// them running.
    /// - Parameter hasDemand: whether the status goes to a watch that makes demand.
    package func status(for permission: Permission, hasDemand: Bool = false, at now: BootInstant) -> ServiceStatus {
        var source = permission.seesSources || hasDemand ? sourceStatus(at: now) : hiddenStatus
        if !permission.maySeeAll {
            source.satellitesVisible = nil
            source.satellitesUsed = nil
            source.headingAvailable = nil
            source.isStationary = false
            source.name = nil
        } else {
            if sources.locatingCount > 1 {
                source.ranking = sources.ranking(hold: hold, at: now, settings: settings)
            }
            if !sources.compasses.ranks.isEmpty {
                source.compasses = sources.compasses.ranks.map {
                    sources.compass(of: $0, at: now, settings: settings)
                }
            }
        }
        if !permission.mayReceive { source.reason = permission.reason ?? source.reason }
        let shown = permission.view == .full ? lastLocation : views.current(permission.view, at: now)
        var status = ServiceStatus(
            authorization: permission.authorization, accuracy: permission.accuracy, enabled: isEnabled,
            source: source, fixAge: shown?.age(at: now), authorizationPending: permission.isPending)
        permission.describe(in: &status, at: now)
        return status
    }

    /// The sources' state as everybody may read it: `stopped` while only regions, changes or visits are
    /// monitored.
    package func publicStatus(at now: BootInstant) -> ServiceStatus {
        let isDirect =
            watches.needs.always > 0 || rests.search.isSearching || requests.values.contains { !$0.request.passive }
        return ServiceStatus(
            authorization: .authorizedAlways, accuracy: .full, enabled: isEnabled,
            source: isDirect ? sourceStatus(at: now) : hiddenStatus, fixAge: nil, authorizationPending: false)
    }

    /// The source status for clients that may not see whether the sources run.
    private var hiddenStatus: SourceStatus {
        SourceStatus(state: .stopped, reason: isEnabled ? nil : Self.switchedOff)
    }

    private static let resting = "the receivers rest until the next location is due"
    private static let paused = "the watch is paused while the machine is stationary"
    private static let switchedOff = "the service is off; `sudo locctl start` switches it on"

    /// The location a view shows at once; a reduced or paced view may repeat its last one until the next is due.
    mutating func freshLocation(for view: View, at now: BootInstant) -> Location? {
        guard isEnabled, view != .nothing else { return nil }
        if let current = views.current(view, at: now) { return current }
        return freshLocation(at: now).flatMap { views.applyFix($0, for: view, at: now) }
    }

    /// The last location if it is fresh enough to count as the present one.
    package func freshLocation(at now: BootInstant) -> Location? {
        guard isEnabled, let lastLocation else { return nil }
        // It holds while its receiver or source does, however long ago it was measured.
        let live = sources.receivers.live(at: now, settings: settings)
        if live?.gave(lastLocation) == true { return lastLocation }
        let timeout = live?.lossTimeout(settings.staleAfter) ?? settings.staleAfter
        return lastLocation.age(at: now) < timeout ? lastLocation : nil
    }

    /// The present location if it was measured before it arrived, so that one that arrives later would say the same.
    func heldLocation(at now: BootInstant) -> Location? {
        guard isEnabled, let lastLocation, let live = sources.receivers.live(at: now, settings: settings), live.isHeld
        else { return nil }
        return live.gave(lastLocation) ? lastLocation : nil
    }

    /// The sources of locations by rank, each with those of its receivers that were heard, in the order of their paths:
    /// nothing for a client that may not know the position, and no receivers for a client with reduced accuracy,
    /// because they show which sources have run.
    package func receivers(for permission: Permission) -> [(source: String, device: String?)] {
        guard permission.mayReceive else { return [] }
        return (0..<sources.locatingCount).flatMap { rank in
            let heard = sources.receivers.all.filter { $0.key.rank == rank }.compactMap(\.key.device).sorted()
            let isSilent = heard.isEmpty || !permission.maySeeAll
            return isSilent ? [(sources.names[rank], nil)] : heard.map { (sources.names[rank], $0) }
        }
    }

    /// The state of each receiver, for the administrator.
    package var receiverReports:
        [(key: ReceiverKey, isFollowed: Bool, hasFix: Bool, lastFix: Location?, interval: Double?)]
    {
        sources.receivers.all.map {
            ($0.key, $0.key == sources.receivers.followed, $0.hasFix, $0.lastFix, $0.epoch.interval)
        }
    }

    /// The present condition of a source; `nil` while it does not run.
    package func condition(of rank: Int) -> SourceCondition? {
        sources.conditions.indices.contains(rank) ? sources.conditions[rank] : nil
    }

    func sourceStatus(at now: BootInstant) -> SourceStatus {
        var status = bareStatus(at: now)
        if isEnabled, let focus = sources.receivers.indexInFocus(at: now, settings: settings),
            let satellites = sources.receivers.all[focus].satellites,
            let time = sources.receivers.all[focus].satellitesTime,
            now.seconds(since: time) < Self.skyLifetime
        {
            status.satellitesVisible = satellites.visible
            status.satellitesUsed = satellites.used
        }
        if isEnabled { status.headingAvailable = sources.compasses.isAvailable(isDemanded: sources.demand.isOn) }
        status.isStationary = isEnabled && rests.stationary.isStationary && knowsMovement(at: now)
        if status.state == .tracking {
            status.name = sources.receivers.indexOfLive(at: now, settings: settings)
                .flatMap { sources.name(of: sources.receivers.all[$0]) }
        }
        return status
    }

    private func bareStatus(at now: BootInstant) -> SourceStatus {
        guard isEnabled else {
            return SourceStatus(state: .stopped, reason: Self.switchedOff)
        }
        if sources.receivers.indexOfLive(at: now, settings: settings) != nil { return SourceStatus(state: .tracking) }
        if sources.isNeeded, let hold { return hold.status }
        guard sources.demand.isOn else { return SourceStatus(state: .stopped, reason: isResting ? Self.resting : nil) }
        return sources.statusWithoutFix(settings.plausibility)
    }

    /// Sends the status to every watch if the state, the reason or the compass changed, and to watches with full
    /// accuracy also if another source serves. A change only in satellite counts, or in a source that does not serve,
    /// is not sent.
    mutating func announceChanges(at now: BootInstant) -> [HubAction] {
        announcement.isResting = isResting
        let status = sourceStatus(at: now)
        let isNew =
            status.state != announced.state || status.reason != announced.reason
            || status.headingAvailable != announced.headingAvailable
        let isSwitched = isEnabled != announcement.isEnabled
        let isForFull = status.name != announced.name || status.isStationary != announced.isStationary
        let isAnnounced = isNew || isSwitched || isForFull
        guard isAnnounced || !rests.resumed.isEmpty else { return [] }
        // Where sources are not to run, nothing of them is predicted.
        if status.state == .stopped || hold != nil || !sources.demand.isOn { estimates.endPredictions() }
        let isLost = announced.state == .tracking && status.state != .tracking
        // Who receives predictions has a position for some seconds more.
        let keeping = status.state == .tracking ? [] : estimates.predicting(at: now)
        var isKept = false
        (announcement.status, announcement.isEnabled) = (status, isEnabled)
        var ids: [WatchID] = []
        watches.forEach { id, watch in
            let keeps = watch.receivesEstimates && keeping.contains(watch.agility)
            if isLost, !keeps { watch.forgetAnchor() }
            if rests.resumed.contains(id) { return ids.append(id) }
            // What the receivers do while a watch is paused is not sent to it.
            guard isAnnounced, !watch.isPaused else { return }
            guard !keeps else { return isKept = true }
            // Repeating an unchanged status would reveal that something hidden has changed.
            let isConcerned = isSwitched || isNew && (watch.permission.seesSources || watch.makesDemand)
            if isConcerned || watch.permission.maySeeAll { ids.append(id) }
        }
        estimates.owesStatus = isKept
        rests.resumed = []
        return sendStatus(to: ids, at: now)
    }

    /// Sends watches the status as each may see it.
    mutating func sendStatus(to ids: [WatchID], at now: BootInstant) -> [HubAction] {
        struct Audience: Hashable {
            let permission: Permission
            let hasDemand: Bool
            let isPaused: Bool
            /// Whether it has predictions, so that the loss is kept from it.
            let isKept: Bool
        }
        let keeping = estimates.owesStatus ? estimates.predicting(at: now) : []
        var audiences: [Audience: [WatchID]] = [:]
        var explained: [HubAction] = []
        for id in ids {
            guard let watch = watches[id] else { continue }
            let audience = Audience(
                permission: watch.permission, hasDemand: watch.makesDemand, isPaused: watch.isPaused,
                isKept: watch.receivesEstimates && keeping.contains(watch.agility))
            guard watch.ownReason != nil else {
                audiences[audience, default: []].append(id)
                continue
            }
            let status = status(for: audience.permission, hasDemand: audience.hasDemand, at: now)
            explained += sendStatus((audience.isKept ? status.kept() : status).explained(by: watch), to: [id])
        }
        func rank(_ audience: Audience) -> (String, Int) {
            (
                audience.permission.authorization.rawValue,
                (audience.hasDemand ? 1 : 0) + (audience.isPaused ? 2 : 0) + (audience.isKept ? 4 : 0)
            )
        }
        return audiences.sorted { rank($0.key) < rank($1.key) }.flatMap { audience, ids in
            var status = status(for: audience.permission, hasDemand: audience.hasDemand, at: now)
            if audience.isPaused {
                status.paused = true
                status.reason = status.reason ?? Self.paused
            }
            if audience.isKept { status = status.kept() }
            return sendStatus(status, to: ids)
        } + explained
    }
}

/// What was last sent to all watches.
struct Announcement {
    var status: SourceStatus
    /// Whether the service was switched on then.
    var isEnabled: Bool
    /// Whether the sources were off between two locations of watches with an interval then.
    var isResting = false
}
