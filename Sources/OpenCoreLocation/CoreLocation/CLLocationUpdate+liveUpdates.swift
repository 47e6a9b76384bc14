import LocationKit

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
