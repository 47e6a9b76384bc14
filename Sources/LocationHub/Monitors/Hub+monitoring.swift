import LocationModel
import RegionMonitoring

/// What fixes mean to monitors.
extension Hub {
    /// The followed receiver has a fix.
    mutating func monitor(_ location: Location, at now: BootInstant) -> [HubAction] {
        guard monitors.count > 0 else { return [] }
        search.encourage()
        blur?.draw(using: &generator)
        let blur = blur
        var views = views
        var told: [(WatchID, [WatchUpdate])] = []
        for slot in monitors.running.indices {
            _ = monitors.modify(slot) { monitor in
                guard monitor.view != .nothing else { return }
                guard
                    let shown = monitor.view == .full ? location : views.applyFix(location, for: monitor.view, at: now)
                else { return }
                let updates = monitor.applyFix(shown)
                monitor.schedule(at: now, news: views.nextNews(for: monitor.view), blur: blur)
                if !updates.isEmpty { told.append((WatchID(slot: slot), updates)) }
            }
        }
        self.views = views
        monitors.findDue()
        return told.flatMap { sendUpdates($1, to: $0, at: now) }
    }

    /// What a monitor's client is told first, or after it may see other fixes than before: each region's state, but for
    /// those it knows.
    mutating func open(_ id: WatchID, except known: Set<String> = [], at now: BootInstant) -> [HubAction] {
        guard let view = monitors[id]?.view else { return [] }
        let fresh = freshLocation(for: view, at: now)
        let (news, blur) = (views.nextNews(for: view), blur)
        let opened = monitors.modify(id.slot) { monitor -> [WatchUpdate] in
            let updates = fresh.map { monitor.applyFix($0) } ?? []
            monitor.schedule(at: now, news: news, blur: blur)
            return updates + monitor.reports.filter { !$0.isDecided }.map { WatchUpdate(region: $0) }
        }
        guard var updates = opened else { return [] }
        monitors.findDue()
        updates.removeAll { $0.region.map { !$0.isDecided && known.contains($0.identifier) } ?? false }
        return sendUpdates(updates, to: id, at: now)
    }

    /// What was decided for a monitor: sent as its client reads, and of a kept one after it has been kept, so that no
    /// restart tells it again. Nothing of it is left out.
    private mutating func sendUpdates(_ updates: [WatchUpdate], to id: WatchID, at now: BootInstant) -> [HubAction] {
        guard let monitor = monitors[id], !updates.isEmpty else { return [] }
        var updates = updates
        if monitor.key != nil, updates.contains(where: { $0.region?.isDecided == true || $0.visit != nil }) {
            monitors.change()
            monitors.hold(id, at: now)
        }
        let hold = monitors.holds[id]
        for index in updates.indices { updates[index].revision = hold?.revision }
        let isHeldBack = hold != nil
        let (limit, isPrompt) = (monitor.heldLimit, !isHeldBack)
        let verdict = watches.modify(id) { watch in
            watch.isHeldBack = isHeldBack
            return (watch.backlog.hold(updates, limit: limit), isPrompt && !watch.isBehind)
        }
        guard let (isKept, isNext) = verdict else { return [] }
        guard isKept else {
            removeWatch(id)
            return [.disconnect(id, reason: "it did not read while \(limit) events passed")]
        }
        return isNext ? [.catchUp(id)] : []
    }

    /// What a monitor may know changed: nothing that was decided before is told any more, and what is decided from now on
    /// is told anew.
    mutating func permitMonitor(_ id: WatchID, _ permission: Permission, at now: BootInstant) -> [HubAction] {
        let before = monitors[id]?.view
        _ = monitors.modify(id.slot) { $0.permit(permission) }
        guard let monitor = monitors[id], monitor.view != before else { return [] }
        guard monitor.view != .nothing else {
            rescheduleMonitors(at: now)
            return []
        }
        if !monitor.isPassive { search.encourage() }
        return open(id, at: now)
    }

    private mutating func rescheduleMonitors(at now: BootInstant) {
        // Not drawn anew: of several pauses after one fix the shortest would tell more.
        let blur = blur
        for slot in monitors.running.indices {
            _ = monitors.modify(slot) { $0.schedule(at: now, news: views.nextNews(for: $0.view), blur: blur) }
        }
        monitors.findDue()
    }

    /// No fixes come, or none that count: the next one confirms what is believed, or contradicts it.
    mutating func suspendMonitors(at now: BootInstant) {
        for slot in monitors.running.indices {
            _ = monitors.modify(slot) { $0.suspend() }
        }
        rescheduleMonitors(at: now)
    }

    // MARK: Keeping

    /// What was to be kept is where a restart finds it, as far as it was known by then.
    /// - Parameter revision: that ``monitorsToKeep()`` told with it.
    package mutating func monitorsKept(_ revision: Int) -> [HubAction] {
        release(kept: revision) { $0.revision <= revision }
    }

    /// Nobody waits for a disk for ever.
    mutating func releaseOverdue(at now: BootInstant) -> [HubAction] {
        let patience = settings.keepingPatience
        let actions = release { $0.since.advanced(bySeconds: patience) <= now }
        return actions.isEmpty ? [] : [.monitorsUnkept] + actions
    }

    var nextRelease: BootInstant? {
        monitors.holds.values.lazy.map(\.since).min()?.advanced(bySeconds: settings.keepingPatience)
    }

    /// Lets go what is over, and of the rest what belongs to a version that is kept: should the next one not come to the
    /// disk, what was told and what a restart finds are the same.
    private mutating func release(
        kept revision: Int? = nil, where isOver: (MonitorTable.Hold) -> Bool
    ) -> [HubAction] {
        monitors.holds.keys.sorted { $0.slot < $1.slot }.flatMap { id -> [HubAction] in
            let isReleased = monitors.holds[id].map(isOver) ?? true
            guard isReleased || revision != nil else { return [] }
            if isReleased { monitors.holds[id] = nil }
            let isNext = watches.modify(id) { watch in
                watch.isHeldBack = !isReleased
                watch.keptRevision = revision ?? watch.keptRevision
                return !watch.isBehind
            }
            return isNext == true ? [.catchUp(id)] : []
        }
    }

    /// What is kept of a visit changes with each fix: it is kept now and then, if it did.
    package mutating func reviewKept() -> [HubAction] {
        monitors.review()
        return keepMonitors()
    }

    mutating func keepMonitors() -> [HubAction] {
        monitors.takeUnkept() ? [.keepMonitors] : []
    }
}
