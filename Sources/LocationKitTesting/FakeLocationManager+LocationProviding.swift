public import LocationKit
public import LocationModel

/// Everything the manager does, the fake has it do.
extension FakeLocationManager: LocationProviding {
    /// How exactly the program would like to know, metres.
    public var desiredAccuracy: Double? {
        get { manager.desiredAccuracy }
        set { manager.desiredAccuracy = newValue }
    }
    /// Metres; locations of a worse or unknown horizontal accuracy are held back.
    public var requiredAccuracy: Double? {
        get { manager.requiredAccuracy }
        set { manager.requiredAccuracy = newValue }
    }
    /// Metres between two locations.
    public var distanceFilter: Double? {
        get { manager.distanceFilter }
        set { manager.distanceFilter = newValue }
    }
    /// Seconds between two locations.
    public var minimumInterval: Double? {
        get { manager.minimumInterval }
        set { manager.minimumInterval = newValue }
    }
    /// What the program is used for.
    public var activityType: ActivityType {
        get { manager.activityType }
        set { manager.activityType = newValue }
    }

    /// The last location told to the program.
    public var location: Location? { manager.location }
    /// The last heading told to the program.
    public var heading: Heading? { manager.heading }
    /// True from ``startUpdating()`` to ``stopUpdating()``.
    public var isUpdating: Bool { manager.isUpdating }
    /// True from ``startUpdatingHeading()`` to ``stopUpdatingHeading()``.
    public var isUpdatingHeading: Bool { manager.isUpdatingHeading }

    /// Asks for locations.
    public func startUpdating() { manager.startUpdating() }
    /// Ends what ``startUpdating()`` began.
    public func stopUpdating() { manager.stopUpdating() }
    /// Asks for headings.
    public func startUpdatingHeading() { manager.startUpdatingHeading() }
    /// Ends what ``startUpdatingHeading()`` began.
    public func stopUpdatingHeading() { manager.stopUpdatingHeading() }

    /// Tells the observer each location from now on.
    public func addObserver(_ observer: Observer<Location>) { manager.addObserver(observer) }
    /// Tells the observer each heading from now on.
    public func addObserver(_ observer: Observer<Heading>) { manager.addObserver(observer) }
    /// Tells the observer the present authorization, and each change.
    public func addObserver(_ observer: Observer<AuthorizationStatus>) { manager.addObserver(observer) }
    /// Tells the observer each failure from now on.
    public func addObserver(_ observer: Observer<LocationError>) { manager.addObserver(observer) }
    /// Tells the observer whenever the connection is lost and found again.
    public func addObserver(_ observer: Observer<ConnectionState>) { manager.addObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<Location>) { manager.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<Heading>) { manager.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<AuthorizationStatus>) { manager.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<LocationError>) { manager.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<ConnectionState>) { manager.removeObserver(observer) }
    /// Removes every observer of every kind.
    public func removeObservers() { manager.removeObservers() }

    /// Each location from now on.
    public var locations: AsyncStream<Location> { manager.locations }
    /// Each heading from now on.
    public var headings: AsyncStream<Heading> { manager.headings }
    /// The service's state, and each change.
    public var statuses: AsyncStream<ServiceStatus> { manager.statuses }
    /// The present authorization, and each change.
    public var authorizationStatuses: AsyncStream<AuthorizationStatus> { manager.authorizationStatuses }
    /// Each location, or why there is none.
    public var updates: AsyncStream<LocationReport> { manager.updates }

    /// One location; the time-out is one of the fake's clock.
    public func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location {
        try await manager.requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge)
    }
    /// The same for callers that are not asynchronous.
    public func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        completion: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) {
        manager.requestLocation(
            timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge, completion: completion)
    }

    /// Asks for the permission to know the position.
    public func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool {
        try await manager.requestAuthorization(for: level, startUpdating: startUpdating)
    }
    /// The same for callers that are not asynchronous.
    public func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool,
        completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void
    ) {
        manager.requestAuthorization(for: level, startUpdating: startUpdating, completion: completion)
    }
}
