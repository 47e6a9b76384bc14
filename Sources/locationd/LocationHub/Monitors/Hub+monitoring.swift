@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring

/// Applies fixes to monitors.
extension Hub {
    /// Applies a fix of the followed receiver.
    mutating func monitor(_ location: Location, at now: BootInstant) -> [HubAction] {
        guard monitors.count > 0 else { return [] }
        monitors.search.restart()
        monitors.drawBlur()
        let blur = monitors.blur
        var views = views
        var pendingUpdates: [(WatchID, [WatchUpdate])] = []
        for slot in monitors.running.indices {
            _ = monitors.modify(slot) { monitor in
                guard monitor.view != .nothing else { return }
                guard
                    let shown = monitor.view == .full ? location : views.applyFix(location, for: monitor.view, at: now)
                else { return }
                let updates = monitor.applyFix(shown)
                monitor.schedule(at: now, nextChange: views.nextChange(for: monitor.view), blur: blur)
                if !updates.isEmpty { pendingUpdates.append((WatchID(slot: slot), updates)) }
            }
        }
        self.views = views
        monitors.findDue()
        return pendingUpdates.flatMap { sendUpdates($1, to: $0, at: now) }
    }

    /// The first updates for a monitor's client, also after a change of the fixes it may see: the state of each region
    /// except those already known.
    mutating func open(_ id: WatchID, except known: Set<String> = [], at now: BootInstant) -> [HubAction] {
        guard let view = monitors[id]?.view else { return [] }
        let fresh = freshLocation(for: view, at: now)
        let (nextChange, blur) = (views.nextChange(for: view), monitors.blur)
        let opened = monitors.modify(id.slot) { monitor -> [WatchUpdate] in
            let updates = fresh.map { monitor.applyFix($0) } ?? []
            monitor.schedule(at: now, nextChange: nextChange, blur: blur)
            return updates + monitor.reports.filter { !$0.isDecided }.map { WatchUpdate(region: $0) }
        }
        guard var updates = opened else { return [] }
        monitors.findDue()
        updates.removeAll { $0.region.map { !$0.isDecided && known.contains($0.identifier) } ?? false }
        return sendUpdates(updates, to: id, at: now)
    }

    /// Sends a monitor's updates at the client's reading pace; those of a named monitor only after they are persisted,
    /// so that a restart does not repeat them. No update is dropped.
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
        guard let (hasRoom, isNext) = verdict else { return [] }
        guard hasRoom else {
            removeWatch(id)
            return [.disconnect(id, reason: "it did not read during \(limit) events")]
        }
        return isNext ? [.catchUp(id)] : []
    }

    /// Applies a changed permission: earlier decisions are no longer sent, and later ones are reported anew.
    mutating func permitMonitor(_ id: WatchID, _ permission: Permission, at now: BootInstant) -> [HubAction] {
        let before = monitors[id]?.view
        _ = monitors.modify(id.slot) { $0.permit(permission) }
        guard let monitor = monitors[id], monitor.view != before else { return [] }
        guard monitor.view != .nothing else {
            rescheduleMonitors(at: now)
            return []
        }
        if !monitor.isPassive { monitors.search.restart() }
        return open(id, at: now)
    }

    private mutating func rescheduleMonitors(at now: BootInstant) {
        // The same random factor as before: of several pauses drawn after one fix, the shortest would reveal more.
        let blur = monitors.blur
        for slot in monitors.running.indices {
            _ = monitors.modify(slot) { $0.schedule(at: now, nextChange: views.nextChange(for: $0.view), blur: blur) }
        }
        monitors.findDue()
    }

    /// Suspends decisions while no usable fixes come: the next fix confirms the known states or contradicts them.
    mutating func suspendMonitors(at now: BootInstant) {
        for slot in monitors.running.indices {
            _ = monitors.modify(slot) { $0.suspend() }
        }
        rescheduleMonitors(at: now)
    }

    // MARK: Persistence

    /// The monitors are persisted up to a revision; releases the updates that waited for it.
    /// - Parameter revision: the one that ``monitorsToPersist()`` returned.
    package mutating func monitorsPersisted(_ revision: Int) -> [HubAction] {
        release(persisted: revision) { $0.revision <= revision }
    }

    /// Sends updates that have waited too long for the disk.
    mutating func releaseOverdue(at now: BootInstant) -> [HubAction] {
        let timeout = settings.persistenceTimeout
        let actions = release { $0.since.advanced(bySeconds: timeout) <= now }
        return actions.isEmpty ? [] : [.monitorPersistenceTimedOut] + actions
    }

    /// Sends overdue updates, and of the rest those whose version is persisted: if persisting the next version fails,
    /// what was sent and what a restart finds still agree.
    private mutating func release(
        persisted revision: Int? = nil, where isOver: (MonitorTable.Hold) -> Bool
    ) -> [HubAction] {
        monitors.holds.keys.sorted { $0.slot < $1.slot }.flatMap { id -> [HubAction] in
            let isReleased = monitors.holds[id].map(isOver) ?? true
            guard isReleased || revision != nil else { return [] }
            if isReleased { monitors.holds[id] = nil }
            let isNext = watches.modify(id) { watch in
                watch.isHeldBack = !isReleased
                watch.persistedRevision = revision ?? watch.persistedRevision
                return !watch.isBehind
            }
            return isNext == true ? [.catchUp(id)] : []
        }
    }

    /// Persists visits, which change with each fix, from time to time if they did change.
    package mutating func reviewMonitors() -> [HubAction] {
        monitors.review()
        return persistMonitorsIfChanged()
    }

    mutating func persistMonitorsIfChanged() -> [HubAction] {
        monitors.consumeUnpersistedChanges() ? [.persistMonitors] : []
    }
}
