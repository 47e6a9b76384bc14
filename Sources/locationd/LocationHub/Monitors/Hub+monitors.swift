@_spi(Programs) package import LocationModel
@_spi(Programs) import RegionMonitoring

/// Beginning, changing and ending monitors.
extension Hub {
    /// Begins a monitor. The opening reply, with the status, is among the actions; the state of each region follows,
    /// `unknown` where no fresh fix decides it.
    /// - Parameters:
    ///   - account: whose share of the receivers' time it adds to; see ``receiverTime(of:at:)``.
    ///   - bind: is given the monitor's number, before there is an action for it.
    package mutating func addMonitor(
        _ request: MonitorRequest, of owner: MonitorOwner, permission: Permission, account: Int? = nil,
        at now: BootInstant, bind: (WatchID) -> Void
    ) throws(MonitorRefusal) -> [HubAction] {
        let key = request.name.map { MonitorKey(owner: owner.uid, name: $0) }
        if let key, monitors.holders[key] != nil { throw .inUse }
        let memory = key.flatMap { monitors.persisted[$0] }
        guard let subjects = request.subjects ?? memory?.memory.subjects else { throw .noSuchMonitor }
        let isNew = request.subjects != nil
        let room = isNew ? try admit(subjects.regions, of: owner, name: request.name, permission, at: now) : []
        let monitor = Monitor(request, subjects: subjects, of: owner.uid, memory: memory, permission: permission)
        // Reserved before `catchUp`, as for a watch.
        let id = watches.allocateSlot()
        let overdue = catchUp(to: now)
        var watch = Watch(request: .monitor, permission: permission)
        watch.account = account
        let opening = watch.opening(status: status(for: permission, at: now), fresh: nil)
        insert(watch, at: id)
        monitors.begin(monitor, as: id)
        // A client that has received a region's state may rely on the monitor's being persisted.
        if key != nil, isNew { monitors.hold(id, at: now) }
        if !monitor.isPassive, permission.mayReceive { monitors.search.restart() }
        let states = open(id, at: now)
        bind(id)
        return room + overdue + persistReductionIfChanged() + [.reply(id, opening)] + states + updateDemand(at: now)
    }

    /// Adds regions to a named monitor, replacing those with the same identifier, and removes others.
    package mutating func changeRegions(
        _ key: MonitorKey, add: [Region], remove: [String], isExempt: Bool, permission: Permission, at now: BootInstant
    ) throws(MonitorRefusal) -> [HubAction] {
        let holder = monitors.holders[key]
        guard let former = holder.flatMap({ monitors[$0]?.subjects }) ?? monitors.persisted[key]?.memory.subjects
        else { throw .noSuchMonitor }
        let replaced = Set(add.map(\.identifier)).union(remove)
        let regions = former.regions.filter { !replaced.contains($0.identifier) } + add
        let owner = MonitorOwner(uid: key.owner, isExempt: isExempt)
        let room = try admit(regions, of: owner, name: key.name, permission, at: now)
        guard let holder else {
            if var persisted = monitors.persisted[key] {
                persisted.memory.setRegions(regions)
                persisted.isAuthorized = permission.isAuthorized
                monitors.store(persisted)
            }
            return room + persistMonitorsIfChanged()
        }
        let shapes = Dictionary(former.regions.map { ($0.identifier, $0.shape) }) { $1 }
        let known = Set(regions.filter { shapes[$0.identifier] == $0.shape }.map(\.identifier))
        _ = monitors.modify(holder.slot) { $0.setRegions(regions) }
        monitors.change()
        monitors.hold(holder, at: now)
        if monitors[holder]?.isPassive == false { monitors.search.restart() }
        return room + open(holder, except: known, at: now) + updateDemand(at: now)
    }

    /// Removes a named monitor; the client that uses it is notified.
    package mutating func removeMonitor(_ key: MonitorKey, at now: BootInstant) throws(MonitorRefusal) -> [HubAction] {
        guard monitors.persisted[key] != nil else { throw .noSuchMonitor }
        guard let holder = monitors.forget(key) else { return persistMonitorsIfChanged() }
        removeWatch(holder)
        return [.endMonitor(holder, name: key.name)] + updateDemand(at: now)
    }

    /// A user's named monitors, as far as the given permission may see them: for an active one, the states its fixes
    /// have decided; for others, the last decided state with the age of its fix. While the service is switched off no
    /// states are included.
    package func namedMonitors(of owner: UInt32, for permission: Permission) -> [NamedMonitor] {
        monitors.persisted.values.filter { $0.owner == owner }.sorted { $0.name < $1.name }.map { persisted in
            let monitor = monitors.holders[persisted.key].flatMap { monitors[$0] }
            let subjects = monitor?.subjects ?? persisted.memory.subjects
            var reports = subjects.regions.map { RegionReport(undecided: $0.identifier) }
            if isEnabled, permission.mayReceive, permission.accuracy == monitor?.accuracy ?? persisted.accuracy {
                reports = monitor?.reports ?? persisted.memory.reports
            }
            return NamedMonitor(name: persisted.name, isActive: monitor != nil, subjects: subjects, reports: reports)
        }
    }

    package var monitorCount: Int { monitors.count }

    /// Everything to persist, and its revision.
    package mutating func monitorsToPersist() -> (monitors: [PersistedMonitor], revision: Int) {
        (monitors.snapshot(), monitors.revision)
    }

    /// Rises with each change of what is to be persisted.
    package var monitorRevision: Int { monitors.revision }

    /// All named monitors, by owner and name.
    package var namedMonitorSummaries: [NamedMonitorSummary] {
        monitors.persisted.values.sorted { ($0.owner, $0.name) < ($1.owner, $1.name) }.map { persisted in
            let monitor = monitors.holders[persisted.key].flatMap { monitors[$0] }
            return NamedMonitorSummary(
                key: persisted.key, isActive: monitor != nil,
                isAuthorized: monitor?.isAuthorized ?? persisted.isAuthorized,
                subjects: monitor?.subjects ?? persisted.memory.subjects)
        }
    }
}

extension MonitorMemory {
    /// The last decided states; a state whose fix is no longer known is left out.
    fileprivate var reports: [RegionReport] {
        regions.map { memory in
            guard let location = memory.location else { return RegionReport(undecided: memory.region.identifier) }
            return RegionReport(identifier: memory.region.identifier, state: memory.state, location: location)
        }
    }
}
