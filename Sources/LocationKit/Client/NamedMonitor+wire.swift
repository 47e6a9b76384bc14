package import LocationInterface
package import LocationModel

extension NamedMonitor {
    /// A monitor that was received at that time.
    package init(_ monitor: NamedMonitorOnWire, at now: BootInstant) {
        self.init(
            name: monitor.name, isActive: monitor.active,
            subjects: MonitorSubjects(
                regions: monitor.regions, significantChange: monitor.significantChange, visits: monitor.visits),
            reports: monitor.reports.map { RegionReport($0, at: now) })
    }
}

extension RegionReport {
    /// A report that was received at that time.
    package init(_ report: RegionReportOnWire, at now: BootInstant) {
        self.init(
            identifier: report.identifier, state: report.state, event: report.event,
            location: report.location?.value.arrived(by: now))
    }
}
