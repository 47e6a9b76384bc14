/// The reply of `GetStatistics`.
@_spi(Programs) public struct Statistics: Codable, Sendable, Hashable {
    @_spi(Programs) public var version = ""
    @_spi(Programs) public var pid = 0
    /// Seconds since the daemon started.
    @_spi(Programs) public var uptime = 0.0
    @_spi(Programs) public var clients = 0
    @_spi(Programs) public var watches = 0
    /// Monitors of regions, significant changes and visits.
    @_spi(Programs) public var monitors = 0
    @_spi(Programs) public var requests = 0
    @_spi(Programs) public var refusedConnections = 0
    /// Fixes that were assigned a sequence number.
    @_spi(Programs) public var fixes = 0
    /// Exact repeats of a fix, which were ignored.
    @_spi(Programs) public var repeats = 0
    /// Replies sent to watches.
    @_spi(Programs) public var deliveries = 0
    @_spi(Programs) public var dropped = 0
    @_spi(Programs) public var sequence: Int64 = 0
    /// True while there is demand for the receivers.
    @_spi(Programs) public var demand = false
    /// Seconds in which a source ran.
    @_spi(Programs) public var receiverTime = 0.0
    /// The part of them in which no client needed one.
    @_spi(Programs) public var unclaimedReceiverTime = 0.0
    /// Seconds in which receivers stayed off although locations were wanted, because a source that costs hardly any
    /// power was accurate enough; `nil` if no such source is configured.
    @_spi(Programs) public var sparedReceiverTime: Double?
    @_spi(Programs) public var receiverShares: [ReceiverShare] = []
    /// `nil` if no level is configured.
    @_spi(Programs) public var battery: BatteryReport?
    @_spi(Programs) public var residentBytes: Int?
    @_spi(Programs) public var sources: [SourceReport] = []
    @_spi(Programs) public var receivers: [ReceiverReport] = []

    @_spi(Programs) public init() {}
}

@_spi(Programs) public struct StatisticsReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var statistics: Statistics
    @_spi(Programs) public init(statistics: Statistics) { self.statistics = statistics }
}

/// The reply of `GetMetrics`.
@_spi(Programs) public struct MetricsReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var text: String
    @_spi(Programs) public init(text: String) { self.text = text }
}

/// The part of the time in which a source ran that the clients of one principal caused.
@_spi(Programs) public struct ReceiverShare: Codable, Sendable, Hashable {
    /// `others` for those beyond a number of principals.
    @_spi(Programs) public var principal: String
    /// Seconds.
    @_spi(Programs) public var receiverTime: Double

    @_spi(Programs) public init(principal: String, receiverTime: Double) {
        self.principal = principal
        self.receiverTime = receiverTime
    }
}

/// A configured source.
@_spi(Programs) public struct SourceReport: Codable, Sendable, Hashable {
    @_spi(Programs) public var name: String
    @_spi(Programs) public var running: Bool
    /// False while an administrator has switched it off.
    @_spi(Programs) public var enabled = true
    @_spi(Programs) public var fixes: Int
    /// The source's counters, such as rejected lines by kind.
    @_spi(Programs) public var counters: [String: Int]
    @_spi(Programs) public var reason: String?

    @_spi(Programs) public init(name: String, running: Bool, fixes: Int, counters: [String: Int], reason: String?) {
        self.name = name
        self.running = running
        self.fixes = fixes
        self.counters = counters
        self.reason = reason
    }
}

/// A receiver that has sent data.
@_spi(Programs) public struct ReceiverReport: Codable, Sendable, Hashable {
    @_spi(Programs) public var source: String
    @_spi(Programs) public var device: String?
    @_spi(Programs) public var followed: Bool
    @_spi(Programs) public var hasFix: Bool
    @_spi(Programs) public var fixAge: Double?
    /// The observed seconds between two epochs.
    @_spi(Programs) public var interval: Double?

    @_spi(Programs) public init(
        source: String, device: String?, followed: Bool, hasFix: Bool, fixAge: Double?, interval: Double?
    ) {
        self.source = source
        self.device = device
        self.followed = followed
        self.hasFix = hasFix
        self.fixAge = fixAge
        self.interval = interval
    }
}
