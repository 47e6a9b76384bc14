package import LocationModel
import RegionMonitoring

/// Who may have how many regions and kept monitors, and who makes room for whom.
extension Hub {
    /// Who is spared may have as many as all together; a tenth of those is left to them, whatever others do, and another
    /// is all that those have who may not know the position: what they have beyond it, because they could know it once,
    /// makes room for who may.
    ///
    /// - Returns: what follows from the room that was made.
    mutating func admit(
        _ regions: [Region], of owner: MonitorOwner, name: String?, _ permission: Permission, at now: BootInstant
    ) throws(MonitorRefusal) -> [HubAction] {
        let (weight, key) = (regions.weight, name.map { MonitorKey(owner: owner.uid, name: $0) })
        let census = monitors.census(of: owner.uid, except: key)
        let own = weight + (key == nil ? 0 : 1)
        let all = census.regions + census.names + own
        func check(_ count: Int, _ kind: MonitorLimit, _ limit: Int) throws(MonitorRefusal) {
            guard count <= limit else { throw .tooMany(kind, limit: limit) }
        }
        if owner.isExempt {
            try check(all, .regions, settings.limits.regions)
            return []
        }
        let isAuthorized = permission.isAuthorized
        try check(
            census.ownRegions + weight, .regionsPerUser,
            isAuthorized ? settings.limits.regionsPerUser : settings.limits.regionsPerUserUnauthorized)
        if let key, monitors.kept[key] == nil {
            try check(census.ownNames + 1, .monitorsPerUser, settings.limits.monitorsPerUser)
        }
        guard isAuthorized else {
            try check(all, .regions, settings.limits.regionsOfUsers)
            try check(census.unauthorized + own, .regions, settings.limits.regionsUnauthorized)
            return []
        }
        let missing = all - settings.limits.regionsOfUsers
        guard missing > 0 else { return [] }
        let excess = census.unauthorized - settings.limits.regionsUnauthorized
        guard let displaced = displaceable(missing, excess: excess, for: owner.uid) else {
            throw .tooMany(.regions, limit: settings.limits.regionsOfUsers)
        }
        return displaced.flatMap { key -> [HubAction] in
            [.monitorDisplaced(key)] + ((try? removeMonitor(key, at: now)) ?? [])
        }
    }

    /// Policy or decisions have changed: what is kept for users counts by whether they may know the position. What a
    /// connection has goes by that connection's permission.
    ///
    /// - Parameter isAuthorized: tells it of a user, `nil` if what is kept for that one counts as it did.
    package mutating func reviewKeptMonitors(_ isAuthorized: (UInt32) -> Bool?) -> [HubAction] {
        for (owner, monitors) in Dictionary(grouping: monitors.kept.values, by: \.owner) {
            guard let isAuthorized = isAuthorized(owner) else { continue }
            for var kept in monitors where kept.isAuthorized != isAuthorized && self.monitors.holders[kept.key] == nil {
                kept.isAuthorized = isAuthorized
                self.monitors.store(kept)
            }
        }
        return keepMonitors()
    }

    /// The fewest of others' kept monitors that give back as much as is missing, of no more than is in excess.
    /// - Returns: `nil` if they do not.
    private func displaceable(_ missing: Int, excess: Int, for owner: UInt32) -> [MonitorKey]? {
        let candidates = monitorHoldings.filter { !$0.isAuthorized && $0.key.owner != owner }
            .map { (key: $0.key, weight: $0.subjects.regions.weight + 1) }
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

/// Why something is not monitored.
package enum MonitorRefusal: Error, Sendable, Hashable {
    /// Nothing is kept under the name.
    case noSuchMonitor
    /// Another connection has the name.
    case inUse
    /// So many there may be of what is counted.
    case tooMany(MonitorLimit, limit: Int)
}

/// A limit of what may be monitored, by its key in the configuration.
package enum MonitorLimit: String, Sendable {
    case regions
    case regionsPerUser = "regions-per-user"
    case monitorsPerUser = "monitors-per-user"
}

extension Region {
    /// So many regions it counts as among those its owner may have: one, or one for each 32 corners begun.
    package var weight: Int {
        switch shape {
        case .circle: 1
        case .polygon(let polygon): (polygon.corners.count + 31) / 32
        }
    }
}

extension [Region] {
    package var weight: Int { reduce(0) { $0 + $1.weight } }
}
