import LocationServer
import Logging

/// Something logged: a constant sentence, the data beside it.
struct LogRecord: Sendable, Equatable {
    struct Datum: Sendable, Equatable {
        let key: String
        let value: String
    }

    let level: Logger.Level
    let sentence: String
    /// In the order of the keys.
    let data: [Datum]
    let event: ServiceEvent?
    /// Where it was logged, as `module/file:line`.
    let place: String
    /// How often the same has happened since it was told last, if it was held back.
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

    /// Sentence and data on one line, whatever they hold.
    var text: String {
        let data = data.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
        let count = repeats > 0 ? " (repeated \(repeats) \(repeats == 1 ? "time" : "times"))" : ""
        return Self.onOneLine(sentence) + data + count
    }

    /// A value that stays within its line and its quotes, whatever it holds.
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
