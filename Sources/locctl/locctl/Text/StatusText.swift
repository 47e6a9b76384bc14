import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The status for a person to read, on one screen.
enum StatusText {
    static func lines(_ callerStatus: CallerStatus, _ clock: LocalTime = .machine) -> [String] {
        let (status, location) = (callerStatus.status, callerStatus.location)
        var lines = [headline(callerStatus)]
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + label + String(repeating: " ", count: max(1, 12 - label.count)) + text)
        }
        if let location {
            add("altitude", Text.altitude(location.value))
            add("motion", Text.motion(location.value))
            if status.stationary == true { add("stationary", "for a minute or more") }
            add("time", MomentText.words(location.value, age: location.age, clock))
            add("age", Text.duration(location.age))
            add("source", Text.source(location.value.source))
        }
        for source in SourceRankingText.passedOver(status) { add("instead of", source) }
        if let visible = status.satellitesVisible {
            add("satellites", "\(visible) in view" + (status.satellitesUsed.map { ", \($0) used" } ?? ""))
        }
        for compass in status.compasses ?? [] {
            if let reason = compass.reason { add("compass", "\(compass.name): \(reason)") }
        }
        add("accuracy", AccuracyText.words(callerStatus))
        let tried = SourceRankingText.tried(status)
        for source in tried { add("tried", source) }
        if let reason = status.reason, !tried.contains(where: { $0.hasSuffix(reason) }) { add("why", reason) }
        for step in nextSteps(callerStatus) { add("next", step) }
        return lines
    }

    private static func headline(_ callerStatus: CallerStatus) -> String {
        if let refusal = PermissionText.headline(callerStatus) { return refusal }
        let status = callerStatus.status
        guard status.enabled else { return "The location service is switched off." }
        guard let location = callerStatus.location?.value else { return "No position: \(status.words)." }
        let place =
            "\(Text.coordinate(location.coordinate))  \(Text.accuracy(location, isReduced: callerStatus.isReduced))  "
            + "(\(Text.quality(location)))"
        switch status.source {
        case .tracking: return place
        case .stopped: return "Idle; the last position was \(place)"
        default: return "No fix now: \(status.words); the last position was \(place)"
        }
    }

    private static let diagnosis = "`locctl diagnose` checks the chain from the receiver to you"

    private static func nextSteps(_ callerStatus: CallerStatus) -> [String] {
        if PermissionText.headline(callerStatus) != nil { return PermissionText.steps(callerStatus) }
        let status = callerStatus.status
        // The reason says what to do.
        guard status.enabled else { return [] }
        switch status.source {
        case .tracking: return []
        // The reason says why none runs, though somebody needs one.
        case .stopped where callerStatus.location == nil || status.reason != nil: return []
        case .stopped:
            return ["`locctl get` requests a new fix, or says why none can come; `locctl watch` follows the position"]
        case .searching where status.reason == nil, .lost where status.reason == nil:
            return ["give the receiver a clear view of the sky; `locctl watch` shows when it has a fix"]
        case .searching, .unavailable, .starting:
            guard let advice = ReceiverDevices.advice(for: status.reason) else { return [diagnosis] }
            return ["\(advice); if there is no position then, `locctl diagnose` finds the cause"]
        case .lost, .unknown: return [diagnosis]
        }
    }
}

/// What the caller has to know about its accuracy.
enum AccuracyText {
    /// - Returns: `nil` if nothing is pending and nothing ends.
    static func words(_ callerStatus: CallerStatus) -> String? {
        let status = callerStatus.status
        guard PermissionText.headline(callerStatus) == nil else { return nil }
        let pending = status.fullAccuracyPending == true ? "your request for full accuracy is pending" : nil
        let term = status.authorizationRemaining.map { "\(status.accuracy), for another \(Text.duration($0))" }
        return [term, pending].compactMap(\.self).joined(separator: "; ").nonEmpty
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

/// Explains why a source is used instead of those ranked above it, or why none has a fix.
enum SourceRankingText {
    /// A line for each source that is ranked above the one in use.
    static func passedOver(_ status: ServiceStatus) -> [String] {
        guard let serving = status.sourceName, let sources = status.sources else { return [] }
        guard let rank = sources.firstIndex(where: { $0.name == serving }) else { return [] }
        return sources[..<rank].map(line)
    }

    /// A line for each source that runs or is kept from it, if none has a fix.
    static func tried(_ status: ServiceStatus) -> [String] {
        guard status.sourceName == nil, status.enabled, let sources = status.sources else { return [] }
        return sources.filter { $0.state != .stopped || $0.reason != nil }.map(line)
    }

    private static func line(_ source: RankedSource) -> String {
        if source.state == .tracking {
            let why = source.reason.map { ": \($0)" } ?? " and takes over once that is stable"
            return "\(source.name), which has a fix" + why
        }
        if source.state == .stopped { return "\(source.name), stopped" + (source.reason.map { ": \($0)" } ?? "") }
        let since = source.fixAge.map { "no fix for \(Text.duration($0))" } ?? "no fix yet"
        return "\(source.name), \(since)" + (source.reason.map { ": \($0)" } ?? "")
    }
}

extension ServiceStatus {
    /// True if sources of lower rank are not running yet and may run; they are started after a while if no other finds
    /// a fix.
    var hasReserve: Bool { (sources ?? []).contains { $0.state == .stopped && $0.reason == nil } }

    /// True if no source can be reached, and none is left to try.
    var isHopeless: Bool { source == .unavailable && !hasReserve }
}
