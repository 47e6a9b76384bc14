package import LocationModel
package import RegionMonitoring

/// A named monitor: each user has names of its own.
package struct MonitorKey: Sendable, Hashable {
    /// The user who may take it up.
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
    /// True if the limits of one user do not hold for it.
    package let isExempt: Bool

    package init(uid: UInt32, isExempt: Bool = false) {
        self.uid = uid
        self.isExempt = isExempt
    }
}

/// What of a monitor outlives its connection and the daemon.
package struct PersistedMonitor: Sendable, Hashable, Codable {
    package var owner: UInt32
    package var name: String
    /// How precisely its owner could know where the machine is when the states were decided; what one accuracy has
    /// decided is not told under another.
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

    /// One that tells nothing of an authorization counts as authorized.
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

/// A kept monitor, as an administrator is told of it.
package struct MonitorHolding: Sendable, Hashable {
    package let key: MonitorKey
    /// True while a connection has it.
    package let isActive: Bool
    /// Whether its owner is authorized, or was when it was last begun or changed.
    package let isAuthorized: Bool
    package let subjects: MonitorSubjects
}
