package import LocationModel
package import LocationMonitoring

/// What of a monitor outlives its connection and the daemon.
package struct KeptMonitor: Sendable, Hashable, Codable {
    package var owner: UInt32
    package var name: String
    /// How precisely its owner could know where the machine is when the states were decided; what one accuracy has
    /// decided is not told under another.
    package var accuracy: AccuracyAuthorization
    package var memory: MonitorMemory

    package init(owner: UInt32, name: String, accuracy: AccuracyAuthorization, memory: MonitorMemory) {
        self.owner = owner
        self.name = name
        self.accuracy = accuracy
        self.memory = memory
    }

    package var key: MonitorKey { MonitorKey(owner: owner, name: name) }
}

/// A kept monitor, as its owner is told of it.
package struct MonitorSummary: Sendable, Hashable {
    package let name: String
    /// True while a connection has it.
    package let isActive: Bool
    package let request: MonitorRequest
    package let reports: [RegionReport]
}
