import LocationModel
import RegionMonitoring

/// Who may have how many regions and kept monitors, and who makes room for whom.
extension Hub {
    /// Who is spared may have as many as all together; a tenth of those is left to them, whatever others do, and another
    /// is all that those have who may not know the position: what they have beyond it, because they could know it once,
    /// makes room for who may.
    ///
    /// - Returns: what follows from the room that was made.
    mutating func admit(
        _ regions: [Region], of order: MonitorOrder, _ permission: Permission, at now: BootInstant
    ) throws(MonitorRefusal) -> [HubAction] {
        let (weight, key) = (regions.weight, order.key)
        let census = monitors.census(of: order.owner, except: key)
        let own = weight + (key == nil ? 0 : 1)
        let all = census.regions + census.names + own
        func check(_ count: Int, _ kind: MonitorLimit, _ limit: Int) throws(MonitorRefusal) {
            guard count <= limit else { throw .tooMany(kind, limit: limit) }
        }
        if order.isSpared {
            try check(all, .regions, settings.regionLimit)
            return []
        }
        let isAuthorized = permission.isAuthorized
        try check(
            census.ownRegions + weight, .regionsPerUser,
            isAuthorized ? settings.regionLimitPerUser : settings.regionLimitPerUserUnauthorized)
        if let key, monitors.kept[key] == nil {
            try check(census.ownNames + 1, .monitorsPerUser, settings.monitorLimitPerUser)
        }
        guard isAuthorized else {
            try check(all, .regions, settings.regionLimitUnspared)
            try check(census.unauthorized + own, .regions, settings.regionLimitUnauthorized)
            return []
        }
        let missing = all - settings.regionLimitUnspared
        guard missing > 0 else { return [] }
        let excess = census.unauthorized - settings.regionLimitUnauthorized
        guard let displaced = displaceable(missing, excess: excess, for: order) else {
            throw .tooMany(.regions, limit: settings.regionLimitUnspared)
        }
        return displaced.flatMap { key -> [HubAction] in
            [.monitorDisplaced(key)] + ((try? removeMonitor(key, at: now)) ?? [])
        }
    }

    /// Whether a user may know the position has been decided: what is kept for it counts accordingly. What a connection
    /// has goes by that connection's permission.
    package mutating func setKeptMonitors(of owner: UInt32, authorized: Bool) -> [HubAction] {
        for var kept in monitors.kept.values
        where kept.owner == owner && kept.isAuthorized != authorized && monitors.holders[kept.key] == nil {
            kept.isAuthorized = authorized
            monitors.keep(kept)
        }
        return keepMonitors()
    }

    /// The users for whom monitors are kept.
    package var monitorOwners: Set<UInt32> { Set(monitors.kept.keys.map(\.owner)) }

    /// The fewest of others' kept monitors that give back as much as is missing, of no more than is in excess.
    /// - Returns: `nil` if they do not.
    private func displaceable(_ missing: Int, excess: Int, for order: MonitorOrder) -> [MonitorKey]? {
        let candidates = monitorHoldings.filter { !$0.isAuthorized && $0.key.owner != order.owner }
            .map { (key: $0.key, weight: $0.request.regions.weight + 1) }
            .sorted { ($1.weight, $0.key.owner, $0.key.name) < ($0.weight, $1.key.owner, $1.key.name) }
        var (keys, missing, excess): ([MonitorKey], Int, Int) = ([], missing, excess)
        for candidate in candidates where missing > 0 && excess > 0 {
            keys.append(candidate.key)
            missing -= candidate.weight
            excess -= candidate.weight
        }
        return missing > 0 ? nil : keys
    }
}
