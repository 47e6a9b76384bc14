@_spi(Programs) package import LocationModel
@_spi(Programs) import RegionMonitoring

/// The limits on regions and named monitors, and whose monitors are removed to make room.
extension Hub {
    /// Checks the limits. Exempt owners may use the whole total, of which a tenth is reserved for them. Owners that may
    /// not know the position share another tenth; what they hold beyond it, from a time when they were authorized, is
    /// removed when an authorized owner needs the room.
    ///
    /// - Returns: the actions that follow from removing monitors.
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
        if let key, monitors.persisted[key] == nil {
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

    /// Reclassifies named monitors after a change of policy or decisions, by whether their owners may know the
    /// position. A connection's own monitor goes by that connection's permission.
    ///
    /// - Parameter isAuthorized: whether a user is authorized; `nil` to leave that user's monitors as they are.
    package mutating func reviewPersistedMonitors(_ isAuthorized: (UInt32) -> Bool?) -> [HubAction] {
        for (owner, monitors) in Dictionary(grouping: monitors.persisted.values, by: \.owner) {
            guard let isAuthorized = isAuthorized(owner) else { continue }
            for var persisted in monitors
            where persisted.isAuthorized != isAuthorized && self.monitors.holders[persisted.key] == nil {
                persisted.isAuthorized = isAuthorized
                self.monitors.store(persisted)
            }
        }
        return persistMonitorsIfChanged()
    }

    /// The fewest named monitors of other owners that free as much as is missing, taking no more than the excess.
    /// - Returns: `nil` if they do not suffice.
    private func displaceable(_ missing: Int, excess: Int, for owner: UInt32) -> [MonitorKey]? {
        let candidates = namedMonitorSummaries.filter { !$0.isAuthorized && $0.key.owner != owner }
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

/// Why a monitor request is refused.
package enum MonitorRefusal: Error, Sendable, Hashable {
    /// No monitor is persisted under the name.
    case noSuchMonitor
    /// Another connection uses the name.
    case inUse
    /// A limit, whose value is given, is exceeded.
    case tooMany(MonitorLimit, limit: Int)
}

/// A limit on monitoring, by its key in the configuration.
package enum MonitorLimit: String, Sendable {
    case regions
    case regionsPerUser = "regions-per-user"
    case monitorsPerUser = "monitors-per-user"
}

extension Region {
    /// How many regions it counts as against its owner's limit: one, or one for each 32 corners begun.
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
