@_spi(Programs) public import LocationModel

/// What ``LocationManager`` provides. Programs that take this protocol can be tested with a `FakeLocationManager`.
///
/// **Demand.** The receiver runs while a program requests locations: between ``startUpdating()`` and
/// ``stopUpdating()``, while an asynchronous sequence of locations is alive, while an observer with
/// ``Observer/requestsUpdates`` is added, and while a request is pending. Other observers receive locations but request
/// none; when the last of them that observes locations is removed, updating stops.
///
/// **Errors** end nothing: observers, loops and requests go on as soon as the service is back.
public protocol LocationProviding: AnyObject, Sendable {
    // MARK: Settings

    /// The settings for locations and headings. Each can be set alone too, as ``distanceFilter``.
    var settings: LocationSettings { get }
    /// Changes several settings together.
    func changeSettings(_ change: (inout LocationSettings) -> Void)

    // MARK: Current values

    /// The last location that this program received; its ``Location/age`` says how old it is.
    var location: Location? { get }
    /// The last heading that this program received.
    var heading: Heading? { get }
    /// Whether this program may know the position; `notDetermined` also while the service cannot be reached.
    var authorizationStatus: AuthorizationStatus { get }
    /// How precisely this program may know the position; `full` while the service cannot be reached.
    var accuracyAuthorization: AccuracyAuthorization { get }
    /// Whether the administrator has the location service switched on; false also while it cannot be reached.
    var isLocationServicesEnabled: Bool { get }

    /// True while updating is paused because the machine is stationary.
    var isPaused: Bool { get }
    /// True if the service has reported that the machine has stood at one place for a minute; false while it moves or
    /// that is not known, and without full accuracy.
    var isStationary: Bool { get }

    // MARK: Updates

    /// True from ``startUpdating()`` to ``stopUpdating()``.
    var isUpdating: Bool { get }
    /// True from ``startUpdatingHeading()`` to ``stopUpdatingHeading()``.
    var isUpdatingHeading: Bool { get }
    /// Requests locations until ``stopUpdating()``, or until the last observer of locations is removed.
    func startUpdating()
    /// Ends ``startUpdating()``.
    func stopUpdating()
    /// Requests headings until ``stopUpdatingHeading()``, or until the last observer of headings is removed.
    func startUpdatingHeading()
    /// Ends ``startUpdatingHeading()``.
    func stopUpdatingHeading()

    // MARK: Observers

    /// Calls the observer with each location from now on. Adding an observer again has no effect.
    func addObserver(_ observer: Observer<Location>)
    /// Calls the observer with each heading from now on. Adding an observer again has no effect.
    func addObserver(_ observer: Observer<Heading>)
    /// Calls the observer with the current authorization, as soon as the service has reported it, and with each change.
    func addObserver(_ observer: Observer<AuthorizationStatus>)
    /// Calls the observer with the service's current status, as soon as it has reported it, and with each change.
    func addObserver(_ observer: Observer<ServiceStatus>)
    /// Calls the observer with each failure from now on.
    func addObserver(_ observer: Observer<LocationError>)
    /// Calls the observer whenever the connection to the service is lost or restored.
    func addObserver(_ observer: Observer<ConnectionState>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<Location>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<Heading>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<AuthorizationStatus>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<LocationError>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<ConnectionState>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<ServiceStatus>)
    /// Removes all observers of all kinds.
    func removeObservers()

    // MARK: Asynchronous sequences

    /// Each location from now on; requests locations while the sequence is alive. It ends when its task is cancelled,
    /// never with an error. A slow loop receives the newest 256.
    var locations: AsyncStream<Location> { get }
    /// Each heading from now on; requests headings while the sequence is alive. It ends when its task is cancelled.
    var headings: AsyncStream<Heading> { get }
    /// The service's current status, as soon as it has reported it, and each change; starts no receiver.
    var statuses: AsyncStream<ServiceStatus> { get }
    /// The current authorization, immediately, and each change; starts no receiver.
    var authorizationStatuses: AsyncStream<AuthorizationStatus> { get }
    /// Each location, or the reason why there is none; requests locations while the sequence is alive.
    var updates: AsyncStream<LocationReport> { get }

    // MARK: One location

    /// Requests one location, whether or not updates run. Concurrent requests share one connection. The observers
    /// receive the answer too, once, unless they have received it before.
    ///
    /// - Parameters:
    ///   - timeout: seconds to wait at most.
    ///   - desiredAccuracy: the horizontal accuracy to wait for, metres; `nil` accepts the first location.
    ///   - maximumAge: how old the location may be, seconds; 0 requests a new one.
    /// - Throws: `timedOut` with the best location received; `unauthorized`, `disabled` and `daemonNotRunning`
    ///   immediately; `cancelled` if the task is cancelled.
    func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location
    /// The same for callers that are not asynchronous. The completion is called exactly once.
    func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        completion: @escaping @Sendable (Result<Location, LocationError>) -> Void)

    // MARK: Authorization

    /// Requests the permission to know the position, and waits for the decision if there is none yet.
    ///
    /// A request for `always` while only `whenInUse` is granted waits for a decision too.
    ///
    /// - Parameters:
    ///   - level: the level to request.
    ///   - startUpdating: whether to start updating once any level is granted; after a denial that is when it is
    ///     granted later, unless ``stopUpdating()`` is called before.
    /// - Returns: true if the level, or more, is granted. Returns false immediately if the position was denied.
    /// - Throws: why the service cannot be reached; `cancelled` if the task is cancelled.
    func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool
    /// The same for callers that are not asynchronous. The completion is called exactly once.
    func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool,
        completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void)

    /// Requests full accuracy for a program that may know the position with reduced accuracy, and waits for the
    /// decision, which may hold for a while only; ``statuses`` reports its end.
    ///
    /// - Parameter purpose: what for, shown to the administrator; at most 256 bytes.
    /// - Returns: true if the accuracy is full, or is now. Returns false immediately if no decision can change it.
    /// - Throws: why the service cannot be reached; `cancelled` if the task is cancelled.
    func requestFullAccuracy(purpose: String) async throws(LocationError) -> Bool
    /// The same for callers that are not asynchronous. The completion is called exactly once.
    func requestFullAccuracy(
        purpose: String, completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void)
}

extension LocationProviding {
    /// Whether this program may know the position and the location service is switched on. With `authorizedWhenInUse`
    /// no location comes while its user has no active session.
    public var isAuthorized: Bool { isAuthorized(for: .whenInUse) }

    /// Whether this level, or more, is granted to this program and the location service is switched on.
    public func isAuthorized(for level: AuthorizationLevel) -> Bool {
        level.isGranted(by: authorizationStatus) && isLocationServicesEnabled
    }

    /// Requests one new location; waits for 30 s by default.
    public func requestLocation(
        timeout: Double = 30, desiredAccuracy: Double? = nil
    ) async throws(LocationError) -> Location {
        try await requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: 0)
    }

    /// Requests one location that may be so many seconds old; waits for 30 s by default.
    public func requestLocation(timeout: Double = 30, maximumAge: Double) async throws(LocationError) -> Location {
        try await requestLocation(timeout: timeout, desiredAccuracy: nil, maximumAge: maximumAge)
    }

    /// Requests the permission to know the position, without starting anything.
    public func requestAuthorization(for level: AuthorizationLevel) async throws(LocationError) -> Bool {
        try await requestAuthorization(for: level, startUpdating: false)
    }
}

/// A location, or why there is none.
public enum LocationReport: Sendable, Hashable {
    /// A new location.
    case location(Location)
    /// No location for now, and the reason; delivered once until that changes.
    case noLocation(LocationError)
}

/// Whether there is a connection to the service.
public enum ConnectionState: Sendable, Hashable {
    /// The service answers.
    case connected
    /// It does not answer. The manager reconnects until no events are wanted any more.
    case disconnected(LocationError)
}

/// The level of authorization that a program requests.
public enum AuthorizationLevel: String, Sendable, Hashable, CaseIterable {
    /// The position while its user has an active session on this machine.
    case whenInUse
    /// The position at any time.
    case always

    /// True if the status grants this level or more.
    public func isGranted(by status: AuthorizationStatus) -> Bool {
        switch status {
        case .authorizedAlways: true
        case .authorizedWhenInUse: self == .whenInUse
        case .notDetermined, .restricted, .denied, .unknown: false
        }
    }
}
