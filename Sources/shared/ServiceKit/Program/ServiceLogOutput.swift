import Glibc
package import Logging

/// The log of a small service: lines on standard error, with a priority prefix if the journal reads them.
package struct ServiceLogOutput: Sendable {
    private let isJournal: Bool
    private let lines: LogLines

    package init() {
        isJournal = JournalStream.isConnected(
            STDERR_FILENO, announced: getenv("JOURNAL_STREAM").map { String(cString: $0) })
        lines = LogLines(STDERR_FILENO, prefix: isJournal ? JournalPriority.warning.linePrefix : "warning: ")
    }

    /// - Parameter name: the program's.
    package func logger(_ level: Logger.Level, of name: String) -> Logger {
        Logger(label: name) { _ in Handler(output: self, logLevel: level) }
    }

    /// Never blocks; lines that cannot be written are lost, which a later line reports.
    package func write(_ level: Logger.Level, _ text: String) {
        lines.write("\(isJournal ? level.priority.linePrefix : "")\(text.onOneLine)")
    }

    private struct Handler: LogHandler {
        let output: ServiceLogOutput
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let data = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
                .map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
            output.write(event.level, "\(output.isJournal ? "" : "\(event.level): ")\(event.message)\(data)")
        }

        private static func quoted(_ value: String) -> String {
            value.contains(" ") || value.isEmpty ? "\"\(value.replacing("\"", with: "'"))\"" : value
        }
    }
}

extension Logger.Level {
    fileprivate var priority: JournalPriority {
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
