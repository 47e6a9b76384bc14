@_spi(Programs) import LocationKit

/// The exit codes of `locctl`.
enum ExitCodes {
    static let failed: Int32 = 1
    static let usage: Int32 = 2
    static let daemonNotReachable: Int32 = 3
    static let notAuthorized: Int32 = 4
    static let noLocation: Int32 = 5
}

/// A failure with an exit code and a message.
struct Failure: Error {
    let code: Int32
    /// `nil` if everything has been written already.
    let message: String?
}

extension LocationError {
    var exitCode: Int32 {
        switch self {
        case .daemonNotRunning, .disconnected, .tooManyClients: ExitCodes.daemonNotReachable
        case .unauthorized: ExitCodes.notAuthorized
        case .disabled, .unavailable, .timedOut: ExitCodes.noLocation
        case .invalidParameter: ExitCodes.usage
        case .cancelled, .refused, .protocolViolation, .tooManyRequests, .tooManyAuthorizations, .tooManyRegions,
            .noSuchMonitor, .monitorInUse:
            ExitCodes.failed
        }
    }
}

extension GeocodingError {
    var exitCode: Int32 {
        switch self {
        case .serviceNotReachable, .disconnected: ExitCodes.daemonNotReachable
        case .noResult: ExitCodes.noLocation
        case .invalidParameter: ExitCodes.usage
        case .partialResult, .network, .busy, .requestInProgress, .cancelled, .refused, .protocolViolation:
            ExitCodes.failed
        }
    }
}

extension LocationError {
    /// Advice in addition to the error's own.
    var nextStep: String? {
        guard case .unauthorized(.notDetermined, _) = self else { return nil }
        return "`locctl request-authorization` requests it and waits for an administrator's decision"
    }
}
