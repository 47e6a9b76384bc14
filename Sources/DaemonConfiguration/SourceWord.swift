/// The kinds of sources, as the files call them.
package enum SourceWord: String, Sendable, CaseIterable {
    case gpsd, simulator, replay
    case fixed = "static"
    case file = "static-file"
}

extension Configuration.Source.Kind {
    /// What the files call this kind.
    package var word: SourceWord {
        switch self {
        case .gpsd: .gpsd
        case .simulator: .simulator
        case .replay: .replay
        case .fixed: .fixed
        case .file: .file
        }
    }
}
