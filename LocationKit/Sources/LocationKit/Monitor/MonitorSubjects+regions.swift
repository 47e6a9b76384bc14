@_spi(Programs) public import LocationModel

extension MonitorSubjects {
    /// Subjects from their members. Of two regions with the same identifier the later one is used.
    @_spi(Programs) public init(
        lastOfEach regions: [Region], significantChange: SignificantChange? = nil, visits: Bool = false
    ) {
        self.init(significantChange: significantChange, visits: visits)
        setRegions(regions)
    }

    /// Of two regions with the same identifier the later one is used.
    @_spi(Programs) public mutating func setRegions(_ regions: [Region]) {
        var places: [String: Int] = [:]
        self.regions = []
        for region in regions {
            if let place = places[region.identifier] {
                self.regions[place] = region
            } else {
                places[region.identifier] = self.regions.count
                self.regions.append(region)
            }
        }
    }

    /// Adds the region, in place of the one with its identifier.
    @_spi(Programs) public mutating func add(_ region: Region) {
        if let place = regions.firstIndex(where: { $0.identifier == region.identifier }) {
            regions[place] = region
        } else {
            regions.append(region)
        }
    }

    mutating func remove(_ identifiers: Set<String>) {
        regions.removeAll { identifiers.contains($0.identifier) }
    }

    func region(_ identifier: String) -> Region? {
        regions.first { $0.identifier == identifier }
    }
}
