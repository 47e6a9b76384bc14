import AdministrationInterface
import LocationInterface
import LocationModel
import LocationServer
import Logging

/// A record for the system's log: a constant sentence with metadata.
extension HistoryRecord {
    func log(to logger: Logger) {
        guard let serviceEvent else { return logger.notice("a record was added to the history", metadata: metadata) }
        logger.log(serviceEvent, metadata)
    }

    private var serviceEvent: ServiceEvent? {
        switch event {
        case .requested: .authorizationRequested
        case .granted: .authorizationGranted
        case .refused: .authorizationRefused
        case .revoked: .authorizationRevoked
        case .reset: .authorizationReset
        case .delivered: .firstDelivery
        case .ended: .authorizationEnded
        case .unknown: nil
        }
    }

    private var metadata: Logger.Metadata {
        let values: [(String, String?)] = [
            ("principal", principal), ("uid", uid.map { "\($0)" }), ("pid", pid.map { "\($0)" }),
            ("authorization", authorization?.rawValue), ("accuracy", accuracy?.rawValue), ("by", by),
            ("purpose", purpose), ("duration", duration.map { "\($0)" }),
        ]
        return values.reduce(into: [:]) { metadata, entry in
            if let value = entry.1 { metadata[entry.0] = "\(value)" }
        }
    }
}
