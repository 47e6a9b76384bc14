import LocationServer
import Logging
import ServiceKit

/// A log record: a constant sentence with metadata.
struct LogRecord: Sendable, Equatable {
    struct Datum: Sendable, Equatable {
        let key: String
        let value: String
    }

    let level: Logger.Level
    let sentence: String
    /// Sorted by key.
    let data: [Datum]
    let event: ServiceEvent?
    /// The place of the log statement, as `module/file:line`.
    let place: String
    /// The number of suppressed repeats since the last output.
    var repeats = 0

    init(
        _ level: Logger.Level, _ sentence: String, _ metadata: Logger.Metadata = [:], event: ServiceEvent? = nil,
        place: String = ""
    ) {
        self.level = level
        self.sentence = sentence
        self.event = event
        self.place = place
        data = metadata.map { Datum(key: $0.key, value: "\($0.value)") }.sorted { $0.key < $1.key }
    }

    /// Sentence and metadata on one line, whatever they contain.
    var text: String {
        let data = data.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
        let count = repeats > 0 ? " (repeated \(repeats) \(repeats == 1 ? "time" : "times"))" : ""
        return Self.onOneLine(sentence) + data + count
    }

    /// Escapes a value so that it cannot end its line or its quotes.
    static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.:/+".contains($0)) }
        return isPlain ? value : "\"\(onOneLine(value.replacing("\"", with: "'")))\""
    }

    private static func onOneLine(_ text: String) -> String {
        // By scalar, because CR LF is one character.
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: " "
            default: String(scalar)
            }
        }.joined()
    }
}

/// A record in the journal's format. `MESSAGE` repeats the metadata, because `journalctl` shows nothing else by
/// default.
extension LogRecord {
    var entry: JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", text)
        entry.add("PRIORITY", "\(level.priority.rawValue)")
        entry.add("SYSLOG_IDENTIFIER", "locationd")
        // The facility of system services.
        entry.add("SYSLOG_FACILITY", "3")
        if let event { entry.add("MESSAGE_ID", event.rawValue) }
        for datum in data { entry.add(JournalEntry.name(datum.key, of: "LOCATIOND"), datum.value) }
        if repeats > 0 { entry.add("LOCATIOND_REPEATED", "\(repeats)") }
        return entry
    }
}

extension Logger.Level {
    var priority: JournalPriority {
        switch self {
        case .trace, .debug: .debug
        case .info: .informational
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
