import Logging
import Synchronization

/// Log records as lines: level, message, reason.
final class RecordedLog: LogHandler {
    private let records = Mutex<[String]>([])
    var lines: [String] { records.withLock { $0 } }

    func log(event: LogEvent) {
        let reason = event.metadata?["reason"].map { " (\($0))" } ?? ""
        records.withLock { $0.append("\(event.level): \(event.message)\(reason)") }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}
