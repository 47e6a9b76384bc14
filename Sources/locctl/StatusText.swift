import LocationInterface
import LocationKit

/// A status as a person reads it, on one screen.
enum StatusText {
    static func lines(_ status: ServiceStatus, _ location: Aged<Location>?) -> [String] {
        var lines = [headline(status, location)]
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + label + String(repeating: " ", count: max(1, 12 - label.count)) + text)
        }
        if let location {
            add("altitude", Text.altitude(location.value))
            add("motion", Text.motion(location.value))
            add("time", location.value.timestamp?.description)
            add("age", Text.duration(location.age))
            let device = location.value.source.device.map { " (\($0))" } ?? ""
            add("source", location.value.source.name + device)
        }
        if let visible = status.satellitesVisible {
            add("satellites", "\(visible) in view" + (status.satellitesUsed.map { ", \($0) used" } ?? ""))
        }
        if status.mayKnow { add("why", status.reason) }
        for step in nextSteps(status, hasLocation: location != nil) { add("next", step) }
        return lines
    }

    private static func headline(_ status: ServiceStatus, _ location: Aged<Location>?) -> String {
        guard status.mayKnow else { return "You may not know the position (\(status.authorization.rawValue))." }
        guard status.enabled else { return "The location service is switched off." }
        guard let location else { return "No position: \(Text.line(status).dropFirst(3).prefix { $0 != ":" })." }
        let place =
            "\(Text.coordinate(location.value.coordinate))  \(Text.accuracy(location.value))  "
            + "(\(Text.quality(location.value)))"
        switch status.source {
        case .tracking: return place
        case .stopped: return "Idle; the last position was \(place)"
        default: return "No fix now (\(status.source.rawValue)); the last position was \(place)"
        }
    }

    private static func nextSteps(_ status: ServiceStatus, hasLocation: Bool) -> [String] {
        guard status.mayKnow else {
            return ["an administrator can add you: `adduser USER locationd`; it takes effect at the next login"]
        }
        // The reason says it already.
        guard status.enabled else { return [] }
        switch status.source {
        case .tracking: return []
        case .stopped: return hasLocation ? ["`locctl get` asks for a new fix, `locctl watch` follows"] : []
        case .searching where status.reason == nil, .lost where status.reason == nil:
            return ["give the receiver a clear view of the sky; `locctl watch` shows when it has a fix"]
        case .searching, .unavailable, .starting:
            return [Hardware.advice, "`locctl diagnose` checks the chain from the receiver to you"]
        case .lost, .unknown: return ["`locctl diagnose` checks the chain from the receiver to you"]
        }
    }
}
