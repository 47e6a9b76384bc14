public import LocationModel

/// Tells where this machine is, as long as somebody asks; every manager of a process shares the same connections.
///
/// When a manager is released, its observers and its updating end; loops over its sequences and requests go on.
public final class LocationManager: LocationProviding {
    /// A manager for programs that need one only, with the usual configuration.
    public static let shared = LocationManager()

    let core: ManagerCore

    /// - Parameter configuration: the socket, purpose, logger and limits.
    public convenience init(_ configuration: LocationConfiguration = LocationConfiguration()) {
        self.init(configuration, service: DaemonTransport.at(configuration.socketPath ?? SocketPath.location))
    }

    package init(_ configuration: LocationConfiguration, service: any LocationTransport) {
        core = ManagerCore(configuration, service: service)
    }

    deinit {
        core.input { state, _ in state.retire() }
    }

    /// How exactly the program would like to know, metres; `nil` for as exactly as possible. A hint: no location is
    /// ever held back because of it. A number that is negative or not finite is taken as `nil`.
    public var desiredAccuracy: Double? {
        get { core.read { $0.settings.desiredAccuracy } }
        set { core.input { state, _ in state.settings.desiredAccuracy = newValue } }
    }

    /// Locations of a horizontal accuracy worse than so many metres, or of unknown accuracy, are held back. A number
    /// that is negative or not finite is taken as `nil`.
    public var requiredAccuracy: Double? {
        get { core.read { $0.settings.requiredAccuracy } }
        set { core.input { state, _ in state.settings.requiredAccuracy = newValue } }
    }

    /// Metres the position must have moved since the last location told; `nil` for the activity's own. A number that
    /// is negative or not finite is taken as `nil`.
    public var distanceFilter: Double? {
        get { core.read { $0.settings.distanceFilter } }
        set { core.input { state, _ in state.settings.distanceFilter = newValue } }
    }

    /// Seconds between two locations, at least; `nil` for the activity's own. A number that is negative or not finite
    /// is taken as `nil`.
    public var minimumInterval: Double? {
        get { core.read { $0.settings.minimumInterval } }
        set { core.input { state, _ in state.settings.minimumInterval = newValue } }
    }

    /// What the program is used for; selects the filters where none is given.
    public var activityType: ActivityType {
        get { core.read { $0.settings.activityType } }
        set { core.input { state, _ in state.settings.activityType = newValue } }
    }

    /// The last location told to this program; its ``Location/age`` says how old it is.
    public var location: Location? { core.read { $0.location } }
    /// The last heading told to this program.
    public var heading: Heading? { core.read { $0.heading } }
    /// Whether this program may know the position; `notDetermined` also while the service cannot be asked.
    ///
    /// Without a connection the service is asked, for a quarter of a second at most; the answer is good for a second.
    public var authorizationStatus: AuthorizationStatus { core.authorizationStatus }
    /// How precisely this program may know the position; `full` while the service cannot be asked.
    ///
    /// Without a connection the service is asked, for a quarter of a second at most; the answer is good for a second.
    public var accuracyAuthorization: AccuracyAuthorization { core.accuracyAuthorization }

    /// True from ``startUpdating()`` to ``stopUpdating()``.
    public var isUpdating: Bool { core.read { $0.isUpdating } }
    /// True from ``startUpdatingHeading()`` to ``stopUpdatingHeading()``.
    public var isUpdatingHeading: Bool { core.read { $0.isUpdatingHeading } }
    /// Asks for locations until ``stopUpdating()``, or until the last observer of locations is removed.
    public func startUpdating() { core.input { state, _ in state.startUpdating() } }
    /// Ends what ``startUpdating()`` began.
    public func stopUpdating() { core.input { state, _ in state.stopUpdating() } }
    /// Asks for headings until ``stopUpdatingHeading()``, or until the last observer of headings is removed.
    public func startUpdatingHeading() { core.input { state, _ in state.startUpdatingHeading() } }
    /// Ends what ``startUpdatingHeading()`` began.
    public func stopUpdatingHeading() { core.input { state, _ in state.stopUpdatingHeading() } }
}
