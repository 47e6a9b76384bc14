public import LocationModel

/// Tells where this machine is: what ``LocationManager`` does, and what a program's own code should ask for, so that
/// its tests can give it a `FakeLocationManager` instead.
///
/// **Demand.** The receiver runs while somebody asks: between ``startUpdating()`` and ``stopUpdating()``, while an
/// asynchronous sequence of locations is alive, while an observer that ``Observer/requestsUpdates`` is added, and while a request
/// waits. Other observers see what comes and ask for nothing by themselves; when the last of them that observes
/// locations is removed, updating stops.
///
/// **Errors** end nothing: whoever observes, loops or waits hears again as soon as the service is back.
public protocol LocationProviding: AnyObject, Sendable {
    // MARK: What is wanted

    /// How exactly the program would like to know, metres; `nil` for as exactly as possible. A hint: no location is
    /// ever held back because of it.
    var desiredAccuracy: Double? { get set }
    /// Locations of a horizontal accuracy worse than so many metres, or of unknown accuracy, are held back.
    var requiredAccuracy: Double? { get set }
    /// Metres the position must have moved since the last location told; `nil` for the activity's own.
    var distanceFilter: Double? { get set }
    /// Seconds between two locations, at least; `nil` for the activity's own.
    var minimumInterval: Double? { get set }
    /// What the program is used for; selects the filters where none is given.
    var activityType: ActivityType { get set }

    // MARK: What is known

    /// The last location told to this program; its ``Location/age`` says how old it is.
    var location: Location? { get }
    /// The last heading told to this program.
    var heading: Heading? { get }
    /// Whether this program may know the position; `notDetermined` also while the service cannot be asked.
    var authorizationStatus: AuthorizationStatus { get }
    /// How precisely this program may know the position; `full` while the service cannot be asked.
    var accuracyAuthorization: AccuracyAuthorization { get }

    // MARK: Updates

    /// True from ``startUpdating()`` to ``stopUpdating()``.
    var isUpdating: Bool { get }
    /// True from ``startUpdatingHeading()`` to ``stopUpdatingHeading()``.
    var isUpdatingHeading: Bool { get }
    /// Asks for locations until ``stopUpdating()``, or until the last observer of locations is removed.
    func startUpdating()
    /// Ends what ``startUpdating()`` began.
    func stopUpdating()
    /// Asks for headings until ``stopUpdatingHeading()``, or until the last observer of headings is removed.
    func startUpdatingHeading()
    /// Ends what ``startUpdatingHeading()`` began.
    func stopUpdatingHeading()

    // MARK: Observers

    /// Tells the observer each location from now on. Adding it twice is once.
    func addObserver(_ observer: Observer<Location>)
    /// Tells the observer each heading from now on. Adding it twice is once.
    func addObserver(_ observer: Observer<Heading>)
    /// Tells the observer the present authorization, as soon as the service has told it, and each change.
    func addObserver(_ observer: Observer<AuthorizationStatus>)
    /// Tells the observer each failure from now on.
    func addObserver(_ observer: Observer<LocationError>)
    /// Tells the observer whenever the connection to the service is lost and found again.
    func addObserver(_ observer: Observer<ConnectionState>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<Location>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<Heading>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<AuthorizationStatus>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<LocationError>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<ConnectionState>)
    /// Removes every observer of every kind.
    func removeObservers()

    // MARK: Asynchronous sequences

    /// Each location from now on; asks for them while it is alive. Ends when its task is cancelled and never by an
    /// error. A loop that is slow finds the newest 256.
    var locations: AsyncStream<Location> { get }
    /// Each heading from now on; asks for them while it is alive. Ends when its task is cancelled.
    var headings: AsyncStream<Heading> { get }
    /// The service's present state, as soon as it has told it, and each change; starts no receiver.
    var statuses: AsyncStream<ServiceStatus> { get }
    /// The present authorization, at once, and each change; starts no receiver.
    var authorizationStatuses: AsyncStream<AuthorizationStatus> { get }
    /// Each location, or why there is none, in one sequence; asks for locations while it is alive.
    var updates: AsyncStream<LocationReport> { get }

    // MARK: One location

    /// One location, whether or not updates run. Requests at the same time share one connection.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait at most, seconds.
    ///   - desiredAccuracy: the horizontal accuracy to wait for, metres; `nil` takes the first location.
    ///   - maximumAge: how old it may be, seconds; 0 asks for a new one.
    /// - Throws: `timedOut` with the best location that came; `unauthorized`, `disabled` and `daemonNotRunning` at once;
    ///   `cancelled` if the task is.
    func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location
    /// The same for callers that are not asynchronous; the completion is called exactly once.
    func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        completion: @escaping @Sendable (Result<Location, LocationError>) -> Void)

    // MARK: Authorization

    /// Asks for the permission to know the position, and waits until somebody has decided if need be.
    ///
    /// - Parameters:
    ///   - level: what is asked for.
    ///   - startUpdating: whether to start updating once any level is granted.
    /// - Returns: true if the level is granted, or more. Another level than this that was granted already answers
    ///   false at once, and so does a denial.
    /// - Throws: why the service cannot be asked; `cancelled` if the task is.
    func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool
    /// The same for callers that are not asynchronous; the completion is called exactly once.
    func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool,
        completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void)
}

extension LocationProviding {
    /// One new location within 30 s, unless said otherwise.
    public func requestLocation(
        timeout: Double = 30, desiredAccuracy: Double? = nil
    ) async throws(LocationError) -> Location {
        try await requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: 0)
    }

    /// One location that may be so many seconds old, within 30 s unless said otherwise.
    public func requestLocation(timeout: Double = 30, maximumAge: Double) async throws(LocationError) -> Location {
        try await requestLocation(timeout: timeout, desiredAccuracy: nil, maximumAge: maximumAge)
    }

    /// Asks for the permission to know the position, without starting anything.
    public func requestAuthorization(for level: AuthorizationLevel) async throws(LocationError) -> Bool {
        try await requestAuthorization(for: level, startUpdating: false)
    }
}

/// A location, or why there is none.
public enum LocationReport: Sendable, Hashable {
    /// A new location.
    case location(Location)
    /// None for now, and why; told once until that changes.
    case noLocation(LocationError)
}

/// Whether the service can be heard.
public enum ConnectionState: Sendable, Hashable {
    /// The service answers.
    case connected
    /// It does not; the manager tries again until nothing is asked for.
    case disconnected(LocationError)
}

/// What a program asks for when it asks for authorization.
public enum AuthorizationLevel: String, Sendable, Hashable, CaseIterable {
    /// To know the position while its user has an active session on this machine.
    case whenInUse
    /// To know it at any time.
    case always

    /// True if the status grants this level, or more.
    public func isGranted(by status: AuthorizationStatus) -> Bool {
        switch status {
        case .authorizedAlways: true
        case .authorizedWhenInUse: self == .whenInUse
        case .notDetermined, .restricted, .denied, .unknown: false
        }
    }
}
