import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// A location, or the reason why there is none.
public struct CLLocationUpdate: Sendable {
    /// The location; `nil` if it is not known, or the program is not authorized.
    public let location: CLLocation?
    /// This program was denied the position, or the service is switched off.
    public let authorizationDenied: Bool
    /// The service is switched off.
    public let authorizationDeniedGlobally: Bool
    /// The administrator's policy forbids it.
    public let authorizationRestricted: Bool
    /// There is no decision yet whether this program may know the position; the updates have requested one.
    public let authorizationRequestInProgress: Bool
    /// This program may know the position only while its user has a session on this machine, and there is none.
    public let insufficientlyInUse: Bool
    /// No location is available: the receiver has no fix, or the service cannot be reached.
    public let locationUnavailable: Bool
    /// The position is on a coarse grid only.
    public let accuracyLimited: Bool
    /// The machine has stood at one place for a minute.
    public let stationary: Bool

    /// The older name of ``stationary``.
    public var isStationary: Bool { stationary }
    /// False: the updates make the session that they need.
    public var serviceSessionRequired: Bool { false }

    /// - Parameters:
    ///   - isStationary: whether the service has reported that the machine is stationary.
    ///   - isInsufficientlyInUse: whether the service withholds locations until the user has a session.
    init(
        _ report: LocationReport, accuracy: AccuracyAuthorization, isStationary: Bool = false,
        isInsufficientlyInUse: Bool = false
    ) {
        switch report {
        case .location(let location): self.init(CLLocation(location), nil, accuracy, isStationary, false)
        case .noLocation(let error): self.init(nil, error, accuracy, isStationary, isInsufficientlyInUse)
        }
    }

    private init(
        _ location: CLLocation?, _ error: LocationError?, _ accuracy: AccuracyAuthorization, _ isStationary: Bool,
        _ isInsufficientlyInUse: Bool
    ) {
        var status: AuthorizationStatus?
        if case .unauthorized(let refusal, _)? = error { status = refusal }
        self.location = location
        authorizationDeniedGlobally = error == .disabled
        authorizationDenied = status == .denied || error == .disabled
        authorizationRestricted = status == .restricted
        authorizationRequestInProgress = status == .notDetermined
        insufficientlyInUse = status == .authorizedWhenInUse || isInsufficientlyInUse
        locationUnavailable = error != nil && error != .disabled && status == nil && !isInsufficientlyInUse
        accuracyLimited = accuracy == .reduced
        stationary = isStationary
    }
}

extension CLLocationUpdate {
    /// What the updates are used for; each selects the least interval and distance between locations.
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

    /// Locations, or the reasons why there are none, as long as the loop over them goes on. It ends when its task is
    /// cancelled, never with an error.
    ///
    /// While there is no decision about this program, the loop requests the position while its user has a session, as a
    /// ``CLServiceSession`` does.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(configuration: configuration, backend: LocationBackend.current)
    }

    /// The sequence of updates.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let configuration: LiveConfiguration
        fileprivate let backend: LocationBackend

        /// Requests locations until the iterator is released.
        public func makeAsyncIterator() -> Iterator {
            let provider = backend.makeProvider()
            provider.activityType = configuration.activityType
            let session = SessionCore(of: provider, .whenInUse)
            session.begin()
            return Iterator(
                provider: provider, session: session, reports: provider.updates.makeAsyncIterator())
        }

        /// One loop over the updates.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let provider: any LocationProviding
            /// Ends with the loop.
            fileprivate let session: SessionCore
            fileprivate var reports: AsyncStream<LocationReport>.Iterator

            /// The next update, as soon as there is one; `nil` if the task is cancelled.
            public mutating func next() async throws -> CLLocationUpdate? {
                guard let report = await reports.next(isolation: #isolation) else { return nil }
                return CLLocationUpdate(
                    report, accuracy: provider.accuracyAuthorization, isStationary: provider.isStationary,
                    isInsufficientlyInUse: session.isInsufficientlyInUse)
            }
        }
    }
}
