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
        self.init(configuration, transport: DaemonTransport.shared(at: configuration.socketPath ?? SocketPath.location))
    }

    package init(_ configuration: LocationConfiguration, transport: any LocationTransport) {
        core = ManagerCore(configuration, transport: transport)
    }

    deinit {
        core.update { state, _ in state.retire() }
    }

    /// How exactly the program would like to know, metres; `nil` for as exactly as possible. A hint: no location is
    /// ever held back because of it. A number that is negative or not finite is taken as `nil`.
    public var desiredAccuracy: Double? {
        get { core.read { $0.settings.desiredAccuracy } }
        set { core.update { state, _ in state.settings.desiredAccuracy = newValue } }
    }

    /// Locations of a horizontal accuracy worse than so many metres, or of unknown accuracy, are held back. A number
    /// that is negative or not finite is taken as `nil`.
    public var requiredAccuracy: Double? {
        get { core.read { $0.settings.requiredAccuracy } }
        set { core.update { state, _ in state.settings.requiredAccuracy = newValue } }
    }

    /// Metres the position must have moved since the last location told; `nil` for the activity's own. A number that
    /// is negative or not finite is taken as `nil`.
    public var distanceFilter: Double? {
        get { core.read { $0.settings.distanceFilter } }
        set { core.update { state, _ in state.settings.distanceFilter = newValue } }
    }

    /// Seconds between two locations, at least; `nil` for the activity's own. A number that is negative or not finite
    /// is taken as `nil`.
    public var minimumInterval: Double? {
        get { core.read { $0.settings.minimumInterval } }
        set { core.update { state, _ in state.settings.minimumInterval = newValue } }
    }

    /// What the program is used for; selects the filters where none is given.
    public var activityType: ActivityType {
        get { core.read { $0.settings.activityType } }
        set { core.update { state, _ in state.settings.activityType = newValue } }
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
    public func startUpdating() { core.update { state, _ in state.startUpdating() } }
    /// Ends what ``startUpdating()`` began.
    public func stopUpdating() { core.update { state, _ in state.stopUpdating() } }
    /// Asks for headings until ``stopUpdatingHeading()``, or until the last observer of headings is removed.
    public func startUpdatingHeading() { core.update { state, _ in state.startUpdatingHeading() } }
    /// Ends what ``startUpdatingHeading()`` began.
    public func stopUpdatingHeading() { core.update { state, _ in state.stopUpdatingHeading() } }
}

extension LocationManager {
    /// Tells the observer each location from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Location>) { core.update { state, _ in state.add(observer) } }
    /// Tells the observer each heading from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Heading>) { core.update { state, _ in state.add(observer) } }
    /// Tells the observer the present authorization, as soon as the service has told it, and each change.
    public func addObserver(_ observer: Observer<AuthorizationStatus>) {
        core.update { state, _ in state.add(observer) }
    }
    /// Tells the observer each failure from now on.
    public func addObserver(_ observer: Observer<LocationError>) { core.update { state, _ in state.add(observer) } }
    /// Tells the observer whenever the connection to the service is lost and found again.
    public func addObserver(_ observer: Observer<ConnectionState>) { core.update { state, _ in state.add(observer) } }

    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Location>) { core.update { state, _ in state.remove(observer) } }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Heading>) { core.update { state, _ in state.remove(observer) } }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<AuthorizationStatus>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<LocationError>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<ConnectionState>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Removes every observer of every kind.
    public func removeObservers() { core.update { state, _ in state.removeObservers() } }
}

extension LocationManager {
    /// Each location from now on; asks for them while it is alive. Ends when its task is cancelled and never by an
    /// error. A loop that is slow finds the newest 256.
    public var locations: AsyncStream<Location> { core.sequence(\.locations) }
    /// Each heading from now on; asks for them while it is alive. Ends when its task is cancelled.
    public var headings: AsyncStream<Heading> { core.sequence(\.headings) }
    /// The service's present state, as soon as it has told it, and each change; starts no receiver.
    public var statuses: AsyncStream<ServiceStatus> { core.sequence(\.statuses) { $0.status } }
    /// The present authorization, at once, and each change; starts no receiver.
    public var authorizationStatuses: AsyncStream<AuthorizationStatus> { core.authorizationSequence }
    /// Each location, or why there is none, in one sequence; asks for locations while it is alive.
    public var updates: AsyncStream<LocationReport> { core.sequence(\.reports) { $0.presentReport } }
}

extension LocationManager {
    /// One location, whether or not updates run, and whatever the filters. Requests at the same time share one
    /// connection.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait at most, seconds; infinite is for ever.
    ///   - desiredAccuracy: the horizontal accuracy to wait for, metres; `nil` takes the first location.
    ///   - maximumAge: how old it may be, seconds; 0 asks for a new one.
    /// - Throws: `timedOut` with the best location that came; `unauthorized`, `disabled` and `daemonNotRunning` at once;
    ///   `unavailable` if no receiver could be reached in time; `invalidParameter` for a negative time-out;
    ///   `cancelled` if the task is.
    public func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location {
        try await core.requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge)
    }

    /// The same for callers that are not asynchronous; the completion is called exactly once, at the configuration's
    /// place.
    public func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        completion: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) {
        let place = core.configuration.delivery
        core.requestLocation(
            id: core.read { $0.newID() }, timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge
        ) { result in place.run { completion(result) } }
    }

    /// Asks for the permission to know the position, and waits until somebody has decided if need be, over restarts of
    /// the service too.
    ///
    /// Without a connection the service is first asked how things are, for a quarter of a second at most.
    ///
    /// - Parameters:
    ///   - level: what is asked for.
    ///   - startUpdating: whether to start updating once any level is granted.
    /// - Returns: true if the level is granted, or more. Another level than this that was granted already answers
    ///   false at once, and so does a denial.
    /// - Throws: why the service cannot be asked; `cancelled` if the task is.
    public func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool {
        try await core.requestAuthorization(for: level, startUpdating: startUpdating)
    }

    /// The same for callers that are not asynchronous; the completion is called exactly once, at the configuration's
    /// place.
    public func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool,
        completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void
    ) {
        let place = core.configuration.delivery
        core.requestAuthorization(id: core.read { $0.newID() }, for: level, startUpdating: startUpdating) { result in
            place.run { completion(result) }
        }
    }
}
