@_spi(Programs) package import LocationModel
@_spi(Programs) package import RegionMonitoring

/// The key of a named monitor: each user has a namespace of its own.
package struct MonitorKey: Sendable, Hashable {
    /// The user who may resume it.
    package let owner: UInt32
    package let name: String

    package init(owner: UInt32, name: String) {
        self.owner = owner
        self.name = name
    }
}

/// The user a monitor belongs to.
package struct MonitorOwner: Sendable, Hashable {
    package let uid: UInt32
    /// True if the limits of one user do not apply.
    package let isExempt: Bool

    package init(uid: UInt32, isExempt: Bool = false) {
        self.uid = uid
        self.isExempt = isExempt
    }
}

/// The part of a monitor that outlives its connection and the daemon.
package struct PersistedMonitor: Sendable, Hashable, Codable {
    package var owner: UInt32
    package var name: String
    /// The accuracy that its owner was granted when the states were decided; states decided at one accuracy are not
    /// reported at another.
    package var accuracy: AccuracyAuthorization
    package var memory: MonitorMemory
    /// Whether its owner was authorized when it was last begun or changed.
    package var isAuthorized: Bool

    package init(
        owner: UInt32, name: String, accuracy: AccuracyAuthorization, memory: MonitorMemory, isAuthorized: Bool = true
    ) {
        self.owner = owner
        self.name = name
        self.accuracy = accuracy
        self.memory = memory
        self.isAuthorized = isAuthorized
    }

    /// A record without an authorization counts as authorized.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        owner = try container.decode(UInt32.self, forKey: .owner)
        name = try container.decode(String.self, forKey: .name)
        accuracy = try container.decode(AccuracyAuthorization.self, forKey: .accuracy)
        memory = try container.decode(MonitorMemory.self, forKey: .memory)
        isAuthorized = try container.decodeIfPresent(Bool.self, forKey: .isAuthorized) ?? true
    }

    package var key: MonitorKey { MonitorKey(owner: owner, name: name) }
}

/// A named monitor as an administrator sees it.
package struct NamedMonitorSummary: Sendable, Hashable {
    package let key: MonitorKey
    /// True while a connection uses it.
    package let isActive: Bool
    /// Whether its owner is authorized, or was when it was last begun or changed.
    package let isAuthorized: Bool
    package let subjects: MonitorSubjects
}
