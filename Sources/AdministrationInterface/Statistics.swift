/// The reply of `GetStatistics`.
package struct Statistics: Codable, Sendable, Hashable {
    package var version = ""
    package var pid = 0
    /// Seconds since the daemon started.
    package var uptime = 0.0
    package var clients = 0
    package var watches = 0
    /// Monitors of regions, significant changes and visits.
    package var monitors = 0
    package var requests = 0
    package var refusedConnections = 0
    /// Fixes that were assigned a sequence number.
    package var fixes = 0
    /// Exact repeats of a fix, which were ignored.
    package var repeats = 0
    /// Replies sent to watches.
    package var deliveries = 0
    package var dropped = 0
    package var sequence: Int64 = 0
    /// True while there is demand for the receivers.
    package var demand = false
    /// Seconds in which a source ran.
    package var receiverTime = 0.0
    /// The part of them in which no client needed one.
    package var unclaimedReceiverTime = 0.0
    package var receiverShares: [ReceiverShare] = []
    /// `nil` if no level is configured.
    package var battery: BatteryReport?
    package var residentBytes: Int?
    package var sources: [SourceReport] = []
    package var receivers: [ReceiverReport] = []

    package init() {}
}

package struct StatisticsReply: Codable, Sendable, Hashable {
    package var statistics: Statistics
    package init(statistics: Statistics) { self.statistics = statistics }
}

/// The reply of `GetMetrics`.
package struct MetricsReply: Codable, Sendable, Hashable {
    package var text: String
    package init(text: String) { self.text = text }
}

/// The part of the time in which a source ran that the clients of one principal caused.
package struct ReceiverShare: Codable, Sendable, Hashable {
    /// `others` for those beyond a number of principals.
    package var principal: String
    /// Seconds.
    package var receiverTime: Double

    package init(principal: String, receiverTime: Double) {
        self.principal = principal
        self.receiverTime = receiverTime
    }
}

/// A configured source.
package struct SourceReport: Codable, Sendable, Hashable {
    package var name: String
    package var running: Bool
    /// False while an administrator has switched it off.
    package var enabled = true
    package var fixes: Int
    /// The source's counters, such as rejected lines by kind.
    package var counters: [String: Int]
    package var reason: String?

    package init(name: String, running: Bool, fixes: Int, counters: [String: Int], reason: String?) {
        self.name = name
        self.running = running
        self.fixes = fixes
        self.counters = counters
        self.reason = reason
    }
}

/// A receiver that has sent data.
package struct ReceiverReport: Codable, Sendable, Hashable {
    package var source: String
    package var device: String?
    package var followed: Bool
    package var hasFix: Bool
    package var fixAge: Double?
    /// The observed seconds between two epochs.
    package var interval: Double?

    package init(source: String, device: String?, followed: Bool, hasFix: Bool, fixAge: Double?, interval: Double?) {
        self.source = source
        self.device = device
        self.followed = followed
        self.hasFix = hasFix
        self.fixAge = fixAge
        self.interval = interval
    }
}
