/// The parameters of `SetSource`.
@_spi(Programs) public struct SetSourceParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var name: String
    @_spi(Programs) public var enabled: Bool

    @_spi(Programs) public init(name: String, enabled: Bool) {
        self.name = name
        self.enabled = enabled
    }
}

/// The parameters of the error `NoSuchSource`.
@_spi(Programs) public struct UnknownSource: Codable, Sendable, Hashable {
    @_spi(Programs) public var name: String
    /// The names of the configured sources, the preferred one first.
    @_spi(Programs) public var known: [String]

    @_spi(Programs) public init(name: String, known: [String]) {
        self.name = name
        self.known = known
    }
}

/// The battery, where the administrator has given a level below which sources stop.
@_spi(Programs) public struct BatteryReport: Codable, Sendable, Hashable {
    /// Percent; `nil` while it is unknown.
    @_spi(Programs) public var level: Double?
    /// Whether the machine draws from it; `nil` while the level is unknown.
    @_spi(Programs) public var discharging: Bool?
    /// The administrator's level, percent.
    @_spi(Programs) public var minimum: Int
    /// Whether the sources are off for it.
    @_spi(Programs) public var low: Bool
    /// Readings that were not believed.
    @_spi(Programs) public var faults: Int

    @_spi(Programs) public init(level: Double?, discharging: Bool?, minimum: Int, low: Bool, faults: Int) {
        self.level = level
        self.discharging = discharging
        self.minimum = minimum
        self.low = low
        self.faults = faults
    }
}
