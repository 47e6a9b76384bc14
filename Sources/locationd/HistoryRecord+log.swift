import LocationInterface
import LocationModel
import Logging

/// A record as the system's log has it: a constant sentence, the data beside it.
extension HistoryRecord {
    func log(to logger: Logger) {
        logger.notice(sentence, metadata: metadata)
    }

    private var sentence: Logger.Message {
        switch event {
        case .requested: "a program asked to know the location"
        case .granted: "a principal may know the location"
        case .refused: "a principal may not know the location"
        case .revoked: "a principal may no longer know the location"
        case .reset: "a refusal was forgotten"
        case .delivered: "a principal got its first location of the day"
        case .unknown: "something was noted in the history"
        }
    }

    private var metadata: Logger.Metadata {
        let values: [(String, String?)] = [
            ("principal", principal), ("uid", uid.map { "\($0)" }), ("pid", pid.map { "\($0)" }),
            ("authorization", authorization?.rawValue), ("accuracy", accuracy?.rawValue), ("by", by),
            ("purpose", purpose),
        ]
        return values.reduce(into: [:]) { metadata, entry in
            if let value = entry.1 { metadata[entry.0] = "\(value)" }
        }
    }
}
