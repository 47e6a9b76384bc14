import Authorization
@_spi(Programs) import LocationModel
import Logging

/// Logs that the fix was acquired or lost, or that its source changed; never the position. A receiver that stops
/// because there is no demand has not lost its fix.
struct FixLog {
    private var logged: (state: SourceState, source: String?) = (.stopped, nil)

    /// The hub's status may have changed.
    ///
    /// - Parameters:
    ///   - source: of the last location; matters while the state is `tracking`.
    ///   - reason: why there is no fix.
    mutating func update(
        _ state: SourceState, source: @autoclosure () -> SourceInformation?, reason: @autoclosure () -> String?,
        logger: Logger
    ) {
        let source = state == .tracking ? source() : nil
        guard state != logged.state || source?.name != logged.source else { return }
        let wasTracking = logged.state == .tracking
        logged = (state, source?.name)
        if state == .tracking {
            var metadata: Logger.Metadata = [:]
            if let source { metadata["source"] = "\(source.name)" }
            if let device = source?.device { metadata["device"] = "\(device)" }
            logger.log(.fixFound, metadata)
        } else if wasTracking, state != .stopped {
            logger.log(.fixLost, reason().map { ["reason": "\($0)"] } ?? [:])
        }
    }
}

extension Logger {
    /// Logs that a principal has reached one of the configuration's limits.
    func logLimit(_ key: String, _ limit: Int, of principal: Principal) {
        log(
            .limitReached,
            ["principal": "\(principal)", "pid": "\(principal.pid)", "limit": "\(limit)", "key": "limits.\(key)"])
    }
}
