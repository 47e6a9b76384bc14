import StrictTOML

/// The keys that sources of every kind have.
struct SourceHead: Sendable {
    var kind = SourceWord.gpsd
    var name: String?
}

extension SourceWord {
    /// The keys that only this kind has.
    var keys: [KeyDocumentation] {
        switch self {
        case .gpsd: documentation(Configuration.GPSD.settings)
        case .simulator: documentation(Configuration.Simulator.settings)
        case .replay: documentation(Configuration.Replay.settings)
        case .fixed: documentation(Configuration.FixedPosition.settings)
        case .file: documentation(Configuration.PositionFile.settings)
        }
    }

    private func documentation(_ settings: [Setting<some Any>]) -> [KeyDocumentation] {
        settings.map { KeyDocumentation($0, table: "sources", isInList: true, kind: rawValue) }
    }
}
