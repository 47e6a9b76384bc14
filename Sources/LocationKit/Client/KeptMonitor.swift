package import LocationInterface
public import LocationModel

/// What the service keeps under a name for this user, whether or not somebody monitors it now.
public struct KeptMonitor: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether a program has it now.
    public var isActive: Bool
    /// The regions.
    public var regions: [Region]
    /// What counts as a significant change; `nil` if none is told.
    public var significantChange: SignificantChange?
    /// Whether visits are told.
    public var monitorsVisits: Bool
    /// What was known last of each region.
    public var reports: [RegionReport]

    /// What is kept, by its parts.
    public init(
        name: String, isActive: Bool = false, regions: [Region] = [], significantChange: SignificantChange? = nil,
        monitorsVisits: Bool = false, reports: [RegionReport] = []
    ) {
        self.name = name
        self.isActive = isActive
        self.regions = regions
        self.significantChange = significantChange
        self.monitorsVisits = monitorsVisits
        self.reports = reports
    }

    package init(_ information: MonitorInformation, at now: BootInstant) {
        self.init(
            name: information.name, isActive: information.active, regions: information.regions,
            significantChange: information.significantChange, monitorsVisits: information.visits,
            reports: information.reports.map { RegionReport($0, at: now) })
    }

    package var subjects: MonitorSubjects {
        MonitorSubjects(regions: regions, significantChange: significantChange, visits: monitorsVisits)
    }
}

extension RegionReport {
    /// A report that came now.
    package init(_ report: RegionReportOnWire, at now: BootInstant) {
        self.init(
            identifier: report.identifier, state: report.state, event: report.event,
            location: report.location?.value.arrived(by: now))
    }
}
