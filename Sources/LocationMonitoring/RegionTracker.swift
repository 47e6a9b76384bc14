package import LocationModel

/// On which side of a region's border the machine is.
package struct RegionTracker: Sendable {
    package let region: Region
    private var told: RegionMemory

    init(_ region: Region, memory: RegionMemory?) {
        self.region = region
        told = memory ?? RegionMemory(region: region)
    }

    var memory: RegionMemory { told }

    var report: RegionReport {
        RegionReport(identifier: region.identifier, state: told.state, location: told.location)
    }

    mutating func take(_ fix: Location) -> [RegionReport] { [] }

    func nextFix(at now: BootInstant) -> BootInstant? { nil }
}
