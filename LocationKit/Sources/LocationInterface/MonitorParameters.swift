@_spi(Programs) public import LocationModel

/// One reply of `Monitor`.
@_spi(Programs) public struct MonitorReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var status: ServiceStatus?
    @_spi(Programs) public var region: RegionReportOnWire?
    @_spi(Programs) public var location: Aged<Location>?
    @_spi(Programs) public var visit: Visit?

    @_spi(Programs) public init(
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
@_spi(Programs) public struct RegionReportOnWire: Codable, Sendable, Hashable {
    @_spi(Programs) public var identifier: String
    @_spi(Programs) public var state: RegionState
    @_spi(Programs) public var event: RegionEvent?
    @_spi(Programs) public var location: Aged<Location>?

    @_spi(Programs) public init(_ report: RegionReport, at now: BootInstant) {
        identifier = report.identifier
        state = report.state
        event = report.event
        location = report.location.map { Aged($0, at: now) }
    }
}

/// The parameters of `ChangeRegions`.
@_spi(Programs) public struct ChangeRegionsParameters: ClientRequest {
    @_spi(Programs) public var name: String
    @_spi(Programs) public var add: [Region]?
    @_spi(Programs) public var remove: [String]?

    @_spi(Programs) public init(name: String, add: [Region]? = nil, remove: [String]? = nil) {
        self.name = name
        self.add = add
        self.remove = remove
    }

    @_spi(Programs) public func validate() throws(InvalidField) {
        try MonitorRequest.checkLength(ofName: name)
        try (add ?? []).checkIdentifiers(in: "add")
    }
}

/// The parameters of `RemoveMonitor` and of the errors `NoSuchMonitor` and `MonitorInUse`.
@_spi(Programs) public struct MonitorName: Codable, Sendable, Hashable {
    @_spi(Programs) public var name: String
    @_spi(Programs) public init(name: String) { self.name = name }
}

/// A named monitor with the ages of its fixes when it is sent.
@_spi(Programs) public struct NamedMonitorOnWire: Codable, Sendable, Hashable {
    @_spi(Programs) public var name: String
    @_spi(Programs) public var active: Bool
    @_spi(Programs) public var regions: [Region]
    @_spi(Programs) public var significantChange: SignificantChange?
    @_spi(Programs) public var visits: Bool
    @_spi(Programs) public var reports: [RegionReportOnWire]

    @_spi(Programs) public init(_ monitor: NamedMonitor, at now: BootInstant) {
        name = monitor.name
        active = monitor.isActive
        regions = monitor.subjects.regions
        significantChange = monitor.subjects.significantChange
        visits = monitor.subjects.visits
        reports = monitor.reports.map { RegionReportOnWire($0, at: now) }
    }
}

/// The reply of `ListMonitors`.
@_spi(Programs) public struct ListMonitorsReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var monitors: [NamedMonitorOnWire]
    @_spi(Programs) public init(monitors: [NamedMonitorOnWire]) { self.monitors = monitors }
}
