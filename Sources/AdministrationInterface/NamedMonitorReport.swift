/// A named monitor in the administrator's reply.
package struct NamedMonitorReport: Codable, Sendable, Hashable {
    package var principal: String
    package var name: String
    package var active: Bool
    package var authorized: Bool
    package var regions: Int
    package var weight: Int
    package var significantChange: Bool
    package var visits: Bool

    package init(
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
package struct AllMonitorsReply: Codable, Sendable, Hashable {
    package var monitors: [NamedMonitorReport]
    package init(monitors: [NamedMonitorReport]) { self.monitors = monitors }
}

/// The parameters of `ForgetMonitors` and of the administrator's error `NoSuchMonitor`.
package struct ForgetMonitorsParameters: Codable, Sendable, Hashable {
    package var principal: String
    package var name: String?

    package init(principal: String, name: String? = nil) {
        self.principal = principal
        self.name = name
    }
}

/// The reply of `ForgetMonitors`.
package struct MonitorsForgotten: Codable, Sendable, Hashable {
    package var principal: String
    package var forgotten: Int

    package init(principal: String, forgotten: Int) {
        self.principal = principal
        self.forgotten = forgotten
    }
}
