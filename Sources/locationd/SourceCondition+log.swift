import LocationModel
import LocationServer
import Logging

/// A source's condition as the log has it.
extension SourceCondition {
    /// - Parameter isNews: false for a step on the way of a source that is well.
    func log(to logger: Logger, source: String, isNews: Bool) {
        var metadata: Logger.Metadata = ["source": "\(source)", "state": "\(name)"]
        if let reason { metadata["reason"] = "\(reason)" }
        logger.log(.sourceChanged, at: level(isNews: isNews), metadata)
    }

    private var name: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .unavailable: "unavailable"
        }
    }

    private func level(isNews: Bool) -> Logger.Level {
        if case .unavailable = self { return .warning }
        return isNews ? .notice : .debug
    }
}
