import Foundation
package import LocationKit

extension CLError {
    /// What Apple's would call a failure of the service; its description is the service's and tells the next step.
    ///
    /// Apple's meaning of `locationUnknown` is that the service goes on trying, so programs wait; `denied` makes most
    /// of them stop.
    package init(_ error: LocationError) {
        self.init(
            Code(error), userInfo: [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error])
    }
}

extension CLError.Code {
    fileprivate init(_ error: LocationError) {
        switch error {
        case .unauthorized, .disabled: self = .denied
        // After a restart of the daemon the connection comes back by itself.
        case .unavailable, .timedOut, .disconnected, .cancelled: self = .locationUnknown
        case .daemonNotRunning, .tooManyClients, .tooManyRequests, .tooManyAuthorizations, .tooManyRegions,
            .noSuchMonitor, .monitorInUse, .invalidParameter, .refused,
            .protocolViolation:
            self = .network
        }
    }
}

extension CLError {
    /// What Apple's would call a failure of the geocoder; its description is the service's and tells the next step.
    init(_ error: GeocodingError) {
        self.init(
            Code(error), userInfo: [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error])
    }
}

extension CLError.Code {
    fileprivate init(_ error: GeocodingError) {
        switch error {
        // To ask again for what is no name is no use, as it would be after `network`.
        case .noResult, .invalidParameter: self = .geocodeFoundNoResult
        case .partialResult: self = .geocodeFoundPartialResult
        // At Apple's there is no word for a second request either.
        case .cancelled, .requestInProgress: self = .geocodeCanceled
        case .serviceNotReachable, .network, .busy, .disconnected, .refused, .protocolViolation:
            self = .network
        }
    }
}
