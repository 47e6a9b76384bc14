/// What `GetStatistics` answers.
package struct Statistics: Codable, Sendable, Hashable {
    package var version = ""
    package var pid = 0
    /// Seconds since the daemon started.
    package var uptime = 0.0
    package var clients = 0
    package var watches = 0
    /// Regions, significant changes and visits that somebody is told of.
    package var monitors = 0
    package var requests = 0
    package var refusedConnections = 0
    /// Fixes that got a number.
    package var fixes = 0
    /// Exact repeats of a fix, which were passed over.
    package var repeats = 0
    /// Replies of watches that were sent.
    package var deliveries = 0
    package var dropped = 0
    package var sequence: Int64 = 0
    /// True while somebody needs the receivers.
    package var demand = false
    package var residentBytes: Int?
    package var sources: [SourceReport] = []
    package var receivers: [ReceiverReport] = []

    package init() {}
}

package struct StatisticsReply: Codable, Sendable, Hashable {
    package var statistics: Statistics
    package init(statistics: Statistics) { self.statistics = statistics }
}

/// What `GetMetrics` answers.
package struct MetricsReply: Codable, Sendable, Hashable {
    package var text: String
    package init(text: String) { self.text = text }
}

/// A configured source.
package struct SourceReport: Codable, Sendable, Hashable {
    package var name: String
    package var running: Bool
    package var fixes: Int
    /// What the source counted, such as rejected lines by kind.
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

/// A receiver that was heard.
package struct ReceiverReport: Codable, Sendable, Hashable {
    package var source: String
    package var device: String?
    package var followed: Bool
    package var hasFix: Bool
    package var fixAge: Double?
    /// Seconds from one epoch to the next, as observed.
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
