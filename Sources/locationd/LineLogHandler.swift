import Logging
import Synchronization

/// Log lines on standard error: level, sentence, data. The level is shared, so that it can change while running.
struct LineLogHandler: LogHandler {
    /// The level of every logger of the daemon.
    final class Threshold: Sendable {
        private let stored: Mutex<Logger.Level>

        init(_ level: Logger.Level) {
            stored = Mutex(level)
        }

        var level: Logger.Level {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }

    let threshold: Threshold
    var metadata: Logger.Metadata = [:]

    init(threshold: Threshold) {
        self.threshold = threshold
    }

    var logLevel: Logger.Level {
        get { threshold.level }
        set { threshold.level = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let data = metadata.merging(event.metadata ?? [:]) { _, new in new }
            .sorted { $0.key < $1.key }
            .map { " \($0.key)=\(Self.quoted("\($0.value)"))" }
        StandardError.write("\(event.level): \(event.message)\(data.joined())")
    }

    /// A value that stays within its line and its quotes, whatever it holds.
    static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.:/+".contains($0)) }
        if isPlain { return value }
        // By scalar, because CR LF is one character.
        let shown = value.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar == "\"" ? "'" : String(scalar)
            }
        }
        return "\"\(shown.joined())\""
    }
}
