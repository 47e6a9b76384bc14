import Foundation
import LocationKit

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
