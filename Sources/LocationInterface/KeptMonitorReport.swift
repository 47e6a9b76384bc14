/// A kept monitor, as an administrator is told of it.
package struct KeptMonitorReport: Codable, Sendable, Hashable {
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

/// What the administrator's `ListMonitors` answers.
package struct AllMonitorsReply: Codable, Sendable, Hashable {
    package var monitors: [KeptMonitorReport]
    package init(monitors: [KeptMonitorReport]) { self.monitors = monitors }
}

/// What `ForgetMonitors` takes, and the parameters of the administrator's `NoSuchMonitor`.
package struct ForgetMonitorsParameters: Codable, Sendable, Hashable {
    package var principal: String
    package var name: String?

    package init(principal: String, name: String? = nil) {
        self.principal = principal
        self.name = name
    }
}

/// What `ForgetMonitors` answers.
package struct MonitorsForgotten: Codable, Sendable, Hashable {
    package var principal: String
    package var forgotten: Int

    package init(principal: String, forgotten: Int) {
        self.principal = principal
        self.forgotten = forgotten
    }
}
