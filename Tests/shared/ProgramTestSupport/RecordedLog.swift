package import Logging
import Synchronization

/// Log records as lines.
package final class RecordedLog: LogHandler {
    private let records = Mutex<[(message: String, details: String)]>([])

    package init() {}

    /// Level, message, and the reason or the error, if there is one.
    package var lines: [String] { records.withLock { $0.map { $0.message + $0.details } } }
    /// Level and message alone.
    package var messages: [String] { records.withLock { $0.map(\.message) } }
    package var logger: Logger { Logger(label: "test") { _ in self } }

    package func log(event: LogEvent) {
        let reason = event.metadata?["reason"].map { " (\($0))" } ?? ""
        let error = event.metadata?["error"].map { ": \($0)" } ?? ""
        records.withLock { $0.append(("\(event.level): \(event.message)", reason + error)) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    package var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}
