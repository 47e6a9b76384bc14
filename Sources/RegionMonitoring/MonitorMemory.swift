package import LocationModel

/// What of a monitor outlives client and daemon.
package struct MonitorMemory: Sendable, Hashable, Codable {
    package var regions: [RegionMemory]
    package var significantChange: SignificantChange?
    package var visits: Bool
    package var visit: VisitMemory?

    package init(
        regions: [RegionMemory] = [], significantChange: SignificantChange? = nil, visits: Bool = false,
        visit: VisitMemory? = nil
    ) {
        self.regions = regions
        self.significantChange = significantChange
        self.visits = visits
        self.visit = visit
    }

    /// What was asked for.
    package var subjects: MonitorSubjects {
        MonitorSubjects(regions: regions.map(\.region), significantChange: significantChange, visits: visits)
    }

    /// Other regions are asked for; those with the same identifier and shape keep what is known of them.
    package mutating func setRegions(_ regions: [Region]) {
        let known = Dictionary(self.regions.map { ($0.region.identifier, $0) }) { first, _ in first }
        self.regions = regions.map { region in
            guard var memory = known[region.identifier], memory.region.shape == region.shape else {
                return RegionMemory(region: region)
            }
            memory.setRegion(region)
            return memory
        }
    }
}

/// What its client was told of a region last, which the next fix confirms or contradicts.
package struct RegionMemory: Sendable, Hashable, Codable {
    package var region: Region
    package var state: RegionState
    /// The fix that decided it.
    package var location: Location?
    /// Whether this stay inside has been told of as a dwell.
    package var hasDwelled: Bool

    package init(
        region: Region, state: RegionState = .unknown, location: Location? = nil, hasDwelled: Bool = false
    ) {
        self.region = region
        self.state = state
        self.location = location
        self.hasDwelled = hasDwelled
    }

    /// The same region with perhaps another dwell, which is told of again.
    mutating func setRegion(_ region: Region) {
        if region.dwell != self.region.dwell { hasDwelled = false }
        self.region = region
    }
}
