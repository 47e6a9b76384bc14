import LocationKit

/// Why one of several sources serves and none above it, or why none serves at all.
enum SourceRankingText {
    /// A line for each source that is preferred to the one that serves.
    static func passedOver(_ status: ServiceStatus) -> [String] {
        guard let serving = status.sourceName, let sources = status.sources else { return [] }
        guard let rank = sources.firstIndex(where: { $0.name == serving }) else { return [] }
        return sources[..<rank].map(line)
    }

    /// A line for each source that runs, where none has a fix.
    static func tried(_ status: ServiceStatus) -> [String] {
        guard status.sourceName == nil, status.enabled, let sources = status.sources else { return [] }
        return sources.filter { $0.state != .stopped }.map(line)
    }

    private static func line(_ source: RankedSource) -> String {
        if source.state == .tracking { return "\(source.name), which has a fix and takes over once it lasts" }
        let since = source.fixAge.map { "no fix for \(Text.duration($0))" } ?? "no fix yet"
        return "\(source.name), \(since)" + (source.reason.map { ": \($0)" } ?? "")
    }
}

extension ServiceStatus {
    /// True where sources lower in rank do not run yet, and are started after a while if no other finds a fix.
    var hasReserve: Bool { (sources ?? []).contains { $0.state == .stopped } }

    /// True where no source can be reached, and none is left to be tried.
    var isHopeless: Bool { source == .unavailable && !hasReserve }
}
