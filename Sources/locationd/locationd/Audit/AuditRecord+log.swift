@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Logging

/// A record for the system's log: a constant sentence with metadata.
extension AuditRecord {
    func log(to logger: Logger) {
        guard let serviceEvent else { return logger.notice("a record was added to the audit", metadata: metadata) }
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

    /// What an administrator does about a request; `nil` for other records.
    private var advice: String? {
        guard event == .requested else { return nil }
        return
            "`locctl authorizations` lists what waits; `locctl authorize \(principal)` or `locctl deny \(principal)` decides"
    }

    private var metadata: Logger.Metadata {
        let values: [(String, String?)] = [
            ("principal", principal), ("uid", uid.map { "\($0)" }), ("pid", pid.map { "\($0)" }),
            ("authorization", authorization?.rawValue), ("accuracy", accuracy?.rawValue), ("by", by),
            ("purpose", purpose), ("duration", duration.map { "\($0)" }),
            ("process", process.map { "\($0)" }), ("advice", advice),
        ]
        return values.reduce(into: [:]) { metadata, entry in
            if let value = entry.1 { metadata[entry.0] = "\(value)" }
        }
    }
}
