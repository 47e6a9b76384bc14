@_spi(Programs) public import LocationInterface
@_spi(Programs) public import LocationModel

extension NamedMonitor {
    /// A monitor that was received at that time.
    @_spi(Programs) public init(_ monitor: NamedMonitorOnWire, at now: BootInstant) {
        self.init(
            name: monitor.name, isActive: monitor.active,
            subjects: MonitorSubjects(
                regions: monitor.regions, significantChange: monitor.significantChange, visits: monitor.visits),
            reports: monitor.reports.map { RegionReport($0, at: now) })
    }
}

extension RegionReport {
    /// A report that was received at that time.
    @_spi(Programs) public init(_ report: RegionReportOnWire, at now: BootInstant) {
        self.init(
            identifier: report.identifier, state: report.state, event: report.event,
            location: report.location?.value.arrived(by: now))
    }
}
