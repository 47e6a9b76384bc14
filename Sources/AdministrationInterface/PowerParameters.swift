/// The parameters of `SetSource`.
package struct SetSourceParameters: Codable, Sendable, Hashable {
    package var name: String
    package var enabled: Bool

    package init(name: String, enabled: Bool) {
        self.name = name
        self.enabled = enabled
    }
}

/// The parameters of the error `NoSuchSource`.
package struct UnknownSource: Codable, Sendable, Hashable {
    package var name: String
    /// The names of the configured sources, the preferred one first.
    package var known: [String]

    package init(name: String, known: [String]) {
        self.name = name
        self.known = known
    }
}

/// The battery, where the administrator has given a level below which sources stop.
package struct BatteryReport: Codable, Sendable, Hashable {
    /// Percent; `nil` while it is unknown.
    package var level: Double?
    /// Whether the machine draws from it; `nil` while the level is unknown.
    package var discharging: Bool?
    /// The administrator's level, percent.
    package var minimum: Int
    /// Whether the sources are off for it.
    package var low: Bool
    /// Readings that were not believed.
    package var faults: Int

    package init(level: Double?, discharging: Bool?, minimum: Int, low: Bool, faults: Int) {
        self.level = level
        self.discharging = discharging
        self.minimum = minimum
        self.low = low
        self.faults = faults
    }
}
