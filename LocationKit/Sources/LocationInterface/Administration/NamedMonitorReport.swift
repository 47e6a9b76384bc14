/// A named monitor in the administrator's reply.
@_spi(Programs) public struct NamedMonitorReport: Codable, Sendable, Hashable {
    @_spi(Programs) public var principal: String
    @_spi(Programs) public var name: String
    @_spi(Programs) public var active: Bool
    @_spi(Programs) public var authorized: Bool
    @_spi(Programs) public var regions: Int
    @_spi(Programs) public var weight: Int
    @_spi(Programs) public var significantChange: Bool
    @_spi(Programs) public var visits: Bool

    @_spi(Programs) public init(
        principal: String, name: String, active: Bool, authorized: Bool, regions: Int, weight: Int,
        significantChange: Bool, visits: Bool
    ) {
        self.principal = principal
        self.name = name
        self.active = active
        self.authorized = authorized
        self.regions = regions
        self.weight = weight
        self.significantChange = significantChange
        self.visits = visits
    }
}

/// The reply of the administrator's `ListMonitors`.
@_spi(Programs) public struct AllMonitorsReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var monitors: [NamedMonitorReport]
    @_spi(Programs) public init(monitors: [NamedMonitorReport]) { self.monitors = monitors }
}

/// The parameters of `ForgetMonitors` and of the administrator's error `NoSuchMonitor`.
@_spi(Programs) public struct ForgetMonitorsParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var principal: String
    @_spi(Programs) public var name: String?

    @_spi(Programs) public init(principal: String, name: String? = nil) {
        self.principal = principal
        self.name = name
    }
}

/// The reply of `ForgetMonitors`.
@_spi(Programs) public struct MonitorsForgotten: Codable, Sendable, Hashable {
    @_spi(Programs) public var principal: String
    @_spi(Programs) public var forgotten: Int

    @_spi(Programs) public init(principal: String, forgotten: Int) {
        self.principal = principal
        self.forgotten = forgotten
    }
}
