public import Foundation
import LocationKit

extension CLMonitor {
    /// What has become of a condition.
    public struct Event: Sendable {
        /// Whether a condition holds.
        public enum State: Int, Sendable {
            /// Nobody knows yet.
            case unknown = 0
            /// It holds.
            case satisfied = 1
            /// It does not hold.
            case unsatisfied = 2
            /// It is not watched; the event's other properties say why.
            case unmonitored = 3
        }

        /// Which condition.
        public let identifier: String
        /// `nil`: a circle is never told more exactly than it was asked.
        public var refinement: (any CLCondition)? { nil }
        /// Whether it holds.
        public let state: State
        /// When the fix that decided it was taken.
        public let date: Date

        private var error: LocationError?

        init(_ identifier: String, _ state: State, date: Date = Date(), because error: LocationError? = nil) {
            self.identifier = identifier
            self.state = state
            self.date = date
            self.error = error
        }

        private var refusal: LocationError.Refusal? { error?.refusal }

        /// This program was refused the position, or the service is switched off.
        public var authorizationDenied: Bool { refusal == .denied || authorizationDeniedGlobally }
        /// The service is switched off.
        public var authorizationDeniedGlobally: Bool { error == .disabled }
        /// The administrator's policy forbids it.
        public var authorizationRestricted: Bool { refusal == .restricted }
        /// Nobody has decided yet whether this program may know the position.
        public var authorizationRequestInProgress: Bool { refusal == .undecided }
        /// This program may know the position only while its user has a session, and there is none.
        public var insufficientlyInUse: Bool { refusal == .notInUse }
        /// This user monitors too many regions.
        public var conditionLimitExceeded: Bool { refusal == .limit }
        /// It is no circle on the Earth, of at most 10,000 km.
        public var conditionUnsupported: Bool { refusal == .unsupported }
        /// Another run of this program has the monitor of this name.
        public var persistenceUnavailable: Bool { refusal == .inUse }
        /// False: the state of a circle is told however roughly the position may be known, where it can be decided.
        public var accuracyLimited: Bool { false }
        /// False: no session is needed.
        public var serviceSessionRequired: Bool { false }
    }
}

extension LocationError {
    /// Why a condition is not watched.
    enum Refusal { case denied, restricted, undecided, notInUse, limit, unsupported, inUse }

    /// `nil` for what passes by itself.
    var refusal: Refusal? {
        switch self {
        case .unauthorized(.restricted, _): .restricted
        case .unauthorized(.notDetermined, _): .undecided
        case .unauthorized(.authorizedWhenInUse, _): .notInUse
        case .unauthorized: .denied
        case .tooManyRegions: .limit
        case .invalidParameter: .unsupported
        case .monitorInUse: .inUse
        default: nil
        }
    }
}
