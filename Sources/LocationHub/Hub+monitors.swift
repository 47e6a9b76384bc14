package import LocationModel
import LocationMonitoring

/// Beginning, changing and ending monitors.
extension Hub {
    /// Begins a monitor. The opening reply, with the status, is among the actions; the state of each region, `unknown`
    /// where no fresh fix decides it, follows it.
    package mutating func addMonitor(
        _ order: MonitorOrder, permission: Permission, at now: BootInstant
    ) throws(MonitorRefusal) -> (WatchID, [HubAction]) {
        if let key = order.key, monitors.holders[key] != nil { throw .inUse }
        let memory = order.key.flatMap { monitors.kept[$0] }
        guard let request = order.request ?? memory?.memory.request else { throw .noSuchMonitor }
        if order.request != nil { try admit(request.regions, of: order) }
        let monitor = Monitor(order, request: request, memory: memory, permission: permission)
        let overdue = catchUp(to: now)
        var watch = Watch(request: .monitor, permission: permission)
        let opening = watch.opening(status: status(for: permission, at: now), fresh: nil)
        let id = watches.insert(watch)
        monitors.begin(monitor, as: id)
        // Who has heard of a region may rely on its being kept.
        if order.key != nil, order.request != nil {
            monitors.holds[id] = .init(revision: monitors.revision, since: now)
        }
        if !monitor.isPassive, permission.mayReceive { search.encourage() }
        let states = open(id, at: now)
        return (id, overdue + keepReduction() + [.reply(id, opening)] + states + updateDemand(at: now))
    }

    /// Adds regions to a kept monitor, in place of those with the same identifier, and removes others.
    package mutating func changeRegions(
        _ key: MonitorKey, add: [Region], remove: [String], isSpared: Bool, at now: BootInstant
    ) throws(MonitorRefusal) -> [HubAction] {
        let holder = monitors.holders[key]
        guard let former = holder.flatMap({ monitors[$0]?.request }) ?? monitors.kept[key]?.memory.request
        else { throw .noSuchMonitor }
        let replaced = Set(add.map(\.identifier)).union(remove)
        let regions = former.regions.filter { !replaced.contains($0.identifier) } + add
        var order = MonitorOrder(owner: key.owner, name: key.name, request: nil)
        order.isSpared = isSpared
        try admit(regions, of: order)
        guard let holder else {
            if var kept = monitors.kept[key] {
                var machine = LocationMonitor(former, memory: kept.memory)
                machine.setRegions(regions)
                kept.memory = machine.memory
                monitors.keep(kept, as: key)
            }
            return keepMonitors()
        }
        let shapes = Dictionary(former.regions.map { ($0.identifier, $0.shape) }) { $1 }
        let known = Set(regions.filter { shapes[$0.identifier] == $0.shape }.map(\.identifier))
        _ = monitors.modify(holder.slot) { $0.setRegions(regions) }
        monitors.change()
        if monitors[holder]?.isPassive == false { search.encourage() }
        return open(holder, except: known, at: now) + updateDemand(at: now)
    }

    /// Forgets what is kept under a name; who has it is told.
    package mutating func removeMonitor(_ key: MonitorKey, at now: BootInstant) throws(MonitorRefusal) -> [HubAction] {
        guard monitors.kept[key] != nil else { throw .noSuchMonitor }
        guard let holder = monitors.forget(key) else { return keepMonitors() }
        removeWatch(holder)
        return [.endMonitor(holder, name: key.name)] + updateDemand(at: now)
    }

    /// What is kept for a user, as far as the asker may know: of one that a connection has, what its fixes have decided;
    /// of another, what was decided last, with the age of its fix. While the service is switched off nothing is told.
    package func monitorSummaries(of owner: UInt32, for permission: Permission) -> [MonitorSummary] {
        monitors.kept.values.filter { $0.owner == owner }.sorted { $0.name < $1.name }.map { kept in
            let monitor = monitors.holders[kept.key].flatMap { monitors[$0] }
            let request = monitor?.request ?? kept.memory.request
            var reports = request.regions.map { RegionReport(undecided: $0.identifier) }
            if isEnabled, permission.mayReceive, permission.accuracy == monitor?.accuracy ?? kept.accuracy {
                reports = monitor?.reports ?? kept.memory.reports
            }
            return MonitorSummary(name: kept.name, isActive: monitor != nil, request: request, reports: reports)
        }
    }

    package var monitorCount: Int { monitors.count }

    /// Everything that a restart should find, and the number of its version.
    package mutating func monitorsToKeep() -> (monitors: [KeptMonitor], revision: Int) {
        (monitors.snapshot(), monitors.revision)
    }

    /// Rises with each change of what a restart should find.
    package var monitorRevision: Int { monitors.revision }

    /// Who is spared may have as many as all together; a tenth of those is left to them, whatever others do.
    private func admit(_ regions: [Region], of order: MonitorOrder) throws(MonitorRefusal) {
        let weight = regions.weight
        if !order.isSpared {
            let own = monitors.weight(of: order.owner, except: order.key) + weight
            guard own <= settings.regionLimitPerUser
            else { throw .tooMany(.regionsPerUser, limit: settings.regionLimitPerUser) }
            if let key = order.key, monitors.kept[key] == nil {
                let names = monitors.kept.values.count { $0.owner == order.owner }
                guard names < settings.monitorLimitPerUser
                else { throw .tooMany(.monitorsPerUser, limit: settings.monitorLimitPerUser) }
            }
        }
        let names = monitors.kept.count + (order.key.map { monitors.kept[$0] == nil ? 1 : 0 } ?? 0)
        let limit = order.isSpared ? settings.regionLimit : settings.regionLimitUnspared
        guard monitors.weight(except: order.key) + weight + names <= limit
        else { throw .tooMany(.regions, limit: limit) }
    }
}

extension MonitorMemory {
    /// What was decided last; a state whose fix is not known any more is none.
    fileprivate var reports: [RegionReport] {
        regions.map { memory in
            guard let location = memory.location else { return RegionReport(undecided: memory.region.identifier) }
            return RegionReport(identifier: memory.region.identifier, state: memory.state, location: location)
        }
    }
}

extension WatchRequest {
    /// A monitor is a watch that is told status, and what its fixes decide in place of the fixes.
    fileprivate static var monitor: Self {
        var request = Self()
        request.location = false
        return request
    }
}
