import LocationKit

/// The state of the service at the top of the screen: what it is, and why.
struct MonitorHeadline {
    let state: MonitorModel
    let now: BootInstant

    /// In a few words.
    var words: (text: String, tone: ScreenLine.Tone) {
        switch state.link {
        case .connecting: return ("connecting to the daemon", .warning)
        case .lost(_, let since):
            let seconds = Text.wholeDuration(max(0, now.seconds(since: since)))
            return ("disconnected for \(seconds), trying again", .bad)
        case .connected: break
        }
        guard let status = state.status else { return ("connected", .plain) }
        guard status.mayKnow else { return ("not authorized (\(PermissionText.words(status.authorization)))", .bad) }
        let words = Text.headline(status)
        switch status.source {
        case .tracking where state.isCurrent(at: now): return (words, .good)
        case .tracking where state.fix != nil: return ("\(words), but nothing new comes", .warning)
        case .stopped, .unavailable: return (words, .bad)
        default: return (words, .warning)
        }
    }

    /// Why it is so and what to do, if anybody has said.
    var reason: String? {
        if case .lost(let reason, _) = state.link { return reason }
        return state.status?.reason
    }

    /// What a location is that nobody measured here and now.
    var mark: String? {
        guard let source = state.fix?.value.source else { return nil }
        let marks = [source.isSimulated ? "SIMULATED" : nil, source.isReplayed ? "REPLAYED" : nil].compactMap(\.self)
        return marks.isEmpty ? nil : marks.joined(separator: " ")
    }
}
