import Foundation
@_spi(Programs) public import LocationKit

extension CLError {
    /// The CoreLocation error for a failure of the service; its description is LocationKit's and says what to do next.
    ///
    /// In CoreLocation `locationUnknown` means that the service keeps trying, so programs wait; `denied` makes most of
    /// them stop.
    @_spi(Programs) public init(_ error: LocationError) {
        self.init(
            Code(error), userInfo: [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error])
    }
}

extension CLError {
    /// The error of a request for full accuracy; `nil` if it is granted.
    init?(fullAccuracy result: Result<Bool, LocationError>) {
        switch result {
        case .success(true): return nil
        case .success(false): self.init(.promptDeclined)
        case .failure(let error): self.init(error)
        }
    }
}

extension CLError.Code {
    fileprivate init(_ error: LocationError) {
        switch error {
        case .unauthorized, .disabled: self = .denied
        // After a restart of the daemon the connection is restored automatically.
        case .unavailable, .timedOut, .disconnected, .cancelled: self = .locationUnknown
        case .daemonNotRunning, .tooManyClients, .tooManyRequests, .tooManyAuthorizations, .tooManyRegions,
            .noSuchMonitor, .monitorInUse, .invalidParameter, .refused,
            .protocolViolation:
            self = .network
        }
    }
}

extension CLError {
    /// The CoreLocation error for a failure of the geocoder; its description is LocationKit's and says what to do next.
    init(_ error: GeocodingError) {
        self.init(
            Code(error), userInfo: [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error])
    }
}

extension CLError.Code {
    fileprivate init(_ error: GeocodingError) {
        switch error {
        // Programs repeat a request after `network`; with an invalid name that is of no use.
        case .noResult, .invalidParameter: self = .geocodeFoundNoResult
        case .partialResult: self = .geocodeFoundPartialResult
        // CoreLocation has no code for a second request either.
        case .cancelled, .requestInProgress: self = .geocodeCanceled
        case .serviceNotReachable, .network, .busy, .disconnected, .refused, .protocolViolation:
            self = .network
        }
    }
}
