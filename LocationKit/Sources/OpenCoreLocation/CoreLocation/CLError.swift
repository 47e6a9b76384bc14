public import Foundation

/// The domain of this module's errors.
public let kCLErrorDomain = "kCLErrorDomain"

/// The key of an alternate region in the user information of an error. No error has one.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// Why a request to the service failed.
///
/// A delegate receives a `CLError`, so `error as? CLError`, `error as NSError` and `case CLError.denied` work. As with
/// every error type in Foundation on Linux, an `NSError` is not cast back; `CLError(_nsError:)` does that.
public struct CLError: _BridgedStoredNSError {
    /// The underlying `NSError`.
    public let _nsError: NSError

    /// Converts an `NSError` of this module back. With another domain or an unknown code, the code is
    /// ``Code/locationUnknown``.
    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// ``kCLErrorDomain``.
    public static var _nsErrorDomain: String { kCLErrorDomain }

    /// What kind of failure it is.
    public var code: Code {
        _nsError.domain == kCLErrorDomain ? Code(rawValue: _nsError.code) ?? .locationUnknown : .locationUnknown
    }
}

extension CLError {
    /// The kinds of failure. Deferred updates, ranging, delayed monitoring and past locations do not exist here; their
    /// codes exist for source that handles them.
    @nonexhaustive(warn)
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        /// The error these are codes of.
        public typealias _ErrorType = CLError

        /// No location now; the service keeps trying.
        case locationUnknown = 0
        /// This program is not authorized, or the service is switched off.
        case denied = 1
        /// The service cannot be reached, or refuses to answer.
        case network = 2
        /// The heading is not available.
        case headingFailure = 3
        /// Regions may not be monitored.
        case regionMonitoringDenied = 4
        /// The region cannot be monitored.
        case regionMonitoringFailure = 5
        /// Monitoring does not begin at once.
        case regionMonitoringSetupDelayed = 6
        /// Events of the region are reported late.
        case regionMonitoringResponseDelayed = 7
        /// There is no such place.
        case geocodeFoundNoResult = 8
        /// Only a part of the answer is available.
        case geocodeFoundPartialResult = 9
        /// The geocoding request was cancelled.
        case geocodeCanceled = 10
        /// Updates cannot be deferred.
        case deferredFailed = 11
        /// Updates cannot be deferred while there are none.
        case deferredNotUpdatingLocation = 12
        /// Updates of this accuracy cannot be deferred.
        case deferredAccuracyTooLow = 13
        /// Updates with a distance filter cannot be deferred.
        case deferredDistanceFiltered = 14
        /// Deferred updates have ended.
        case deferredCanceled = 15
        /// Beacons cannot be ranged.
        case rangingUnavailable = 16
        /// Ranging failed.
        case rangingFailure = 17
        /// The temporary authorization was not granted.
        case promptDeclined = 18
        /// There is no location for that time.
        case historicalLocationError = 19
    }

    /// ``Code/locationUnknown``.
    public static var locationUnknown: Code { .locationUnknown }
    /// ``Code/denied``.
    public static var denied: Code { .denied }
    /// ``Code/network``.
    public static var network: Code { .network }
    /// ``Code/headingFailure``.
    public static var headingFailure: Code { .headingFailure }
    /// ``Code/regionMonitoringDenied``.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// ``Code/regionMonitoringFailure``.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
    /// ``Code/regionMonitoringSetupDelayed``.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
    /// ``Code/regionMonitoringResponseDelayed``.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
    /// ``Code/geocodeFoundNoResult``.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
    /// ``Code/geocodeFoundPartialResult``.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
    /// ``Code/geocodeCanceled``.
    public static var geocodeCanceled: Code { .geocodeCanceled }
    /// ``Code/deferredFailed``.
    public static var deferredFailed: Code { .deferredFailed }
    /// ``Code/deferredNotUpdatingLocation``.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
    /// ``Code/deferredAccuracyTooLow``.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
    /// ``Code/deferredDistanceFiltered``.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
    /// ``Code/deferredCanceled``.
    public static var deferredCanceled: Code { .deferredCanceled }
    /// ``Code/rangingUnavailable``.
    public static var rangingUnavailable: Code { .rangingUnavailable }
    /// ``Code/rangingFailure``.
    public static var rangingFailure: Code { .rangingFailure }
    /// ``Code/promptDeclined``.
    public static var promptDeclined: Code { .promptDeclined }
    /// ``Code/historicalLocationError``.
    public static var historicalLocationError: Code { .historicalLocationError }
}
