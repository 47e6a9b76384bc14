public import Foundation
import LocationKit
import LocationModel

/// A location, or why there is none.
public struct CLLocationUpdate: Sendable {
    /// Where the machine is; `nil` if that is not known, or may not be.
    public let location: CLLocation?
    /// This program was refused the position, or the service is switched off.
    public let authorizationDenied: Bool
    /// The service is switched off.
    public let authorizationDeniedGlobally: Bool
    /// The administrator's policy forbids it.
    public let authorizationRestricted: Bool
    /// Nobody has decided yet whether this program may know the position.
    public let authorizationRequestInProgress: Bool
    /// This program may know the position only while its user has a session, and was refused for the lack of one. A
    /// program that waits for the session to begin finds ``locationUnavailable``.
    public let insufficientlyInUse: Bool
    /// No location comes for now: the receiver has no fix, or the service cannot be reached.
    public let locationUnavailable: Bool
    /// The position is told to a coarse grid only.
    public let accuracyLimited: Bool

    /// False: the service does not tell whether the machine stands still.
    public var stationary: Bool { false }
    /// The older name of ``stationary``.
    public var isStationary: Bool { stationary }
    /// False: no session is needed.
    public var serviceSessionRequired: Bool { false }

    init(_ report: LocationReport, accuracy: AccuracyAuthorization) {
        switch report {
        case .location(let location): self.init(CLLocation(location), nil, accuracy)
        case .noLocation(let error): self.init(nil, error, accuracy)
        }
    }

    private init(_ location: CLLocation?, _ error: LocationError?, _ accuracy: AccuracyAuthorization) {
        var status: AuthorizationStatus?
        if case .unauthorized(let refusal, _)? = error { status = refusal }
        self.location = location
        authorizationDeniedGlobally = error == .disabled
        authorizationDenied = status == .denied || error == .disabled
        authorizationRestricted = status == .restricted
        authorizationRequestInProgress = status == .notDetermined
        insufficientlyInUse = status == .authorizedWhenInUse
        locationUnavailable = error != nil && error != .disabled && status == nil
        accuracyLimited = accuracy == .reduced
    }
}

extension CLLocationUpdate {
    /// What the updates are for; each selects how often and how far apart they come.
    public enum LiveConfiguration: Int, Sendable {
        /// Every location.
        case `default`
        /// Driving: at most one location a second.
        case automotiveNavigation
        /// By boat or train: at most one location a second, at least 10 m apart.
        case otherNavigation
        /// On foot or by bicycle: at most one location a second, at least 3 m apart.
        case fitness
        /// Flying: every location.
        case airborne

        fileprivate var activityType: ActivityType {
            switch self {
            case .default: .other
            case .automotiveNavigation: .automotiveNavigation
            case .otherNavigation: .otherNavigation
            case .fitness: .fitness
            case .airborne: .airborne
            }
        }
    }

    /// Locations, and why there are none, for as long as the loop over them goes on. Ends when its task is cancelled,
    /// and never by an error.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(configuration: configuration, backend: LocationBackend.current)
    }

    /// What a program loops over to know where the machine is.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let configuration: LiveConfiguration
        fileprivate let backend: LocationBackend

        /// Asks for locations until it is gone.
        public func makeAsyncIterator() -> Iterator {
            let provider = backend.makeProvider()
            provider.activityType = configuration.activityType
            return Iterator(provider: provider, reports: provider.updates.makeAsyncIterator())
        }

        /// One loop's place in the updates.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let provider: any LocationProviding
            fileprivate var reports: AsyncStream<LocationReport>.Iterator

            /// The next update, as soon as there is one; `nil` if the task is cancelled.
            public mutating func next() async throws -> CLLocationUpdate? {
                guard let report = await reports.next(isolation: #isolation) else { return nil }
                return CLLocationUpdate(report, accuracy: provider.accuracyAuthorization)
            }
        }
    }
}

/// Means nothing: a program on Linux runs on without a window, and who may know the position then is the
/// authorization's matter.
public final class CLBackgroundActivitySession: NSObject, Sendable {
    /// A session.
    public override init() {}

    /// Ends it.
    public func invalidate() {}
}
