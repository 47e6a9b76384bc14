/// Tells where this machine is, as long as somebody asks; every manager of a process shares the same connections.
public final class LocationManager: Sendable {
    /// A manager for programs that need one only, with the usual configuration.
    public static let shared = LocationManager()

    /// - Parameter configuration: the socket, purpose, logger and limits.
    public init(_ configuration: LocationConfiguration = LocationConfiguration()) {
    }

    package init(_ configuration: LocationConfiguration, service: any LocationService) {
    }
}
