@_spi(Programs) public import LocationModel

/// The part of a monitor that outlives client and daemon.
@_spi(Programs) public struct MonitorMemory: Sendable, Hashable, Codable {
    @_spi(Programs) public var regions: [RegionMemory]
    @_spi(Programs) public var significantChange: SignificantChange?
    @_spi(Programs) public var visits: Bool
    @_spi(Programs) public var visit: VisitMemory?

    @_spi(Programs) public init(
        regions: [RegionMemory] = [], significantChange: SignificantChange? = nil, visits: Bool = false,
        visit: VisitMemory? = nil
    ) {
        self.regions = regions
        self.significantChange = significantChange
        self.visits = visits
        self.visit = visit
    }

    /// What the client asked to monitor.
    @_spi(Programs) public var subjects: MonitorSubjects {
        MonitorSubjects(regions: regions.map(\.region), significantChange: significantChange, visits: visits)
    }

    /// Replaces the regions; those with the same identifier and shape keep their state.
    @_spi(Programs) public mutating func setRegions(_ regions: [Region]) {
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

/// The last state of a region reported to the client, which the next fix confirms or contradicts.
@_spi(Programs) public struct RegionMemory: Sendable, Hashable, Codable {
    @_spi(Programs) public var region: Region
    @_spi(Programs) public var state: RegionState
    /// The fix that decided the state.
    @_spi(Programs) public var location: Location?
    /// Whether a dwell has been reported for this stay inside.
    @_spi(Programs) public var hasDwelled: Bool

    @_spi(Programs) public init(
        region: Region, state: RegionState = .unknown, location: Location? = nil, hasDwelled: Bool = false
    ) {
        self.region = region
        self.state = state
        self.location = location
        self.hasDwelled = hasDwelled
    }

    /// Replaces the region by one that may differ in its dwell; a different dwell is reported again.
    mutating func setRegion(_ region: Region) {
        if region.dwell != self.region.dwell { hasDwelled = false }
        self.region = region
    }
}
