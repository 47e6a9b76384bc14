package import LocationModel

/// One reply of `Monitor`.
package struct MonitorReply: Codable, Sendable, Hashable {
    package var status: ServiceStatus?
    package var region: RegionReportOnWire?
    package var location: Aged<Location>?
    package var visit: Visit?

    package init(
        status: ServiceStatus? = nil, region: RegionReportOnWire? = nil, location: Aged<Location>? = nil,
        visit: Visit? = nil
    ) {
        self.status = status
        self.region = region
        self.location = location
        self.visit = visit
    }
}

/// A region's report with the age of its fix when it is sent.
package struct RegionReportOnWire: Codable, Sendable, Hashable {
    package var identifier: String
    package var state: RegionState
    package var event: RegionEvent?
    package var location: Aged<Location>?

    package init(_ report: RegionReport, at now: BootInstant) {
        identifier = report.identifier
        state = report.state
        event = report.event
        location = report.location.map { Aged($0, at: now) }
    }
}

/// The parameters of `ChangeRegions`.
package struct ChangeRegionsParameters: ClientRequest {
    package var name: String
    package var add: [Region]?
    package var remove: [String]?

    package init(name: String, add: [Region]? = nil, remove: [String]? = nil) {
        self.name = name
        self.add = add
        self.remove = remove
    }

    package func validate() throws(InvalidField) {
        try MonitorRequest.checkLength(ofName: name)
        try (add ?? []).checkIdentifiers(in: "add")
    }
}

/// The parameters of `RemoveMonitor` and of the errors `NoSuchMonitor` and `MonitorInUse`.
package struct MonitorName: Codable, Sendable, Hashable {
    package var name: String
    package init(name: String) { self.name = name }
}

/// A named monitor with the ages of its fixes when it is sent.
package struct NamedMonitorOnWire: Codable, Sendable, Hashable {
    package var name: String
    package var active: Bool
    package var regions: [Region]
    package var significantChange: SignificantChange?
    package var visits: Bool
    package var reports: [RegionReportOnWire]

    package init(_ monitor: NamedMonitor, at now: BootInstant) {
        name = monitor.name
        active = monitor.isActive
        regions = monitor.subjects.regions
        significantChange = monitor.subjects.significantChange
        visits = monitor.subjects.visits
        reports = monitor.reports.map { RegionReportOnWire($0, at: now) }
    }
}

/// The reply of `ListMonitors`.
package struct ListMonitorsReply: Codable, Sendable, Hashable {
    package var monitors: [NamedMonitorOnWire]
    package init(monitors: [NamedMonitorOnWire]) { self.monitors = monitors }
}
