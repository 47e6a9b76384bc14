@_spi(Programs) public import LocationKit
@_spi(Programs) public import LocationModel

/// Forwards everything to the real manager.
extension FakeLocationManager: LocationProviding {
    /// The settings for locations and headings. The fake service delivers each location at once, whatever the delay.
    public var settings: LocationSettings { manager.settings }
    /// Changes several settings together.
    public func changeSettings(_ change: (inout LocationSettings) -> Void) { manager.changeSettings(change) }
    /// Whether the service is switched on, and reachable.
    public var isLocationServicesEnabled: Bool { manager.isLocationServicesEnabled }

    /// True while updating is paused.
    public var isPaused: Bool { manager.isPaused }
    /// True if the machine is reported to be stationary.
    public var isStationary: Bool { manager.isStationary }

    /// The last location that the program received.
    public var location: Location? { manager.location }
    /// The last heading that the program received.
    public var heading: Heading? { manager.heading }
    /// True from ``startUpdating()`` to ``stopUpdating()``.
    public var isUpdating: Bool { manager.isUpdating }
    /// True from ``startUpdatingHeading()`` to ``stopUpdatingHeading()``.
    public var isUpdatingHeading: Bool { manager.isUpdatingHeading }

    /// Requests locations.
    public func startUpdating() { manager.startUpdating() }
    /// Ends ``startUpdating()``.
    public func stopUpdating() { manager.stopUpdating() }
    /// Requests headings.
    public func startUpdatingHeading() { manager.startUpdatingHeading() }
    /// Ends ``startUpdatingHeading()``.
    public func stopUpdatingHeading() { manager.stopUpdatingHeading() }

    /// Calls the observer with each location from now on.
    public func addObserver(_ observer: Observer<Location>) { manager.addObserver(observer) }
    /// Calls the observer with each heading from now on.
    public func addObserver(_ observer: Observer<Heading>) { manager.addObserver(observer) }
    /// Calls the observer with the current authorization, and with each change.
    public func addObserver(_ observer: Observer<AuthorizationStatus>) { manager.addObserver(observer) }
    /// Calls the observer with the service's current status, and with each change.
    public func addObserver(_ observer: Observer<ServiceStatus>) { manager.addObserver(observer) }
    /// Calls the observer with each failure from now on.
    public func addObserver(_ observer: Observer<LocationError>) { manager.addObserver(observer) }
    /// Calls the observer whenever the connection is lost or restored.
    public func addObserver(_ observer: Observer<ConnectionState>) { manager.addObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<Location>) { manager.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<Heading>) { manager.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<AuthorizationStatus>) { manager.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<LocationError>) { manager.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<ConnectionState>) { manager.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<ServiceStatus>) { manager.removeObserver(observer) }
    /// Removes all observers of all kinds.
    public func removeObservers() { manager.removeObservers() }

    /// Each location from now on.
    public var locations: AsyncStream<Location> { manager.locations }
    /// Each heading from now on.
    public var headings: AsyncStream<Heading> { manager.headings }
    /// The service's status, and each change.
    public var statuses: AsyncStream<ServiceStatus> { manager.statuses }
    /// The current authorization, and each change.
    public var authorizationStatuses: AsyncStream<AuthorizationStatus> { manager.authorizationStatuses }
    /// Each location, or the reason why there is none.
    public var updates: AsyncStream<LocationReport> { manager.updates }

    /// Requests one location; the time-out runs on the fake's clock.
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

    /// Requests the permission to know the position.
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

    /// Requests full accuracy.
    public func requestFullAccuracy(purpose: String) async throws(LocationError) -> Bool {
        try await manager.requestFullAccuracy(purpose: purpose)
    }
    /// The same for callers that are not asynchronous.
    public func requestFullAccuracy(
        purpose: String, completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void
    ) {
        manager.requestFullAccuracy(purpose: purpose, completion: completion)
    }
}
