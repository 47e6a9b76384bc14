@_spi(Programs) public import LocationModel

/// Delivers this machine's location to observers, asynchronous sequences and requests. Managers of a
/// process that want the same share a connection to the service.
///
/// Releasing a manager ends its observers and its updating; loops over its sequences and pending requests go on.
public final class LocationManager: LocationProviding {
    /// A manager with the default configuration, for programs that need only one.
    public static let shared = LocationManager()

    let core: ManagerCore

    /// - Parameter configuration: the socket, purpose, logger and limits.
    public convenience init(_ configuration: LocationConfiguration = LocationConfiguration()) {
        self.init(configuration, transport: DaemonTransport.shared(at: configuration.socketPath ?? SocketPath.location))
    }

    @_spi(Programs) public init(_ configuration: LocationConfiguration, transport: any LocationTransport) {
        core = ManagerCore(configuration, transport: transport)
    }

    deinit {
        core.update { state, _ in state.retire() }
    }

    /// The settings for locations and headings.
    public var settings: LocationSettings { core.read { $0.settings } }
    /// Changes several settings together.
    public func changeSettings(_ change: (inout LocationSettings) -> Void) {
        core.update { state, _ in change(&state.settings) }
    }

    /// True while updating is paused because the machine is stationary.
    public var isPaused: Bool { core.read { $0.status?.paused == true } }
    /// True if the service has reported that the machine has stood at one place for a minute; false while it moves or
    /// that is not known, and without full accuracy.
    public var isStationary: Bool { core.read { $0.status?.stationary == true } }

    /// The last location that this program received; its ``Location/age`` says how old it is.
    public var location: Location? { core.read { $0.location } }
    /// Locations that the service has dropped because this program read too slowly; the total over reconnections.
    public var dropped: Int { core.read { $0.dropped } }
    /// The last heading that this program received.
    public var heading: Heading? { core.read { $0.heading } }
    /// Whether this program may know the position; `notDetermined` also while the service cannot be reached.
    ///
    /// Without a connection this blocks for at most a quarter of a second to ask the service; the result is reused for
    /// a second.
    public var authorizationStatus: AuthorizationStatus { core.authorizationStatus }
    /// How precisely this program may know the position; `full` while the service cannot be reached.
    ///
    /// Without a connection this blocks for at most a quarter of a second to ask the service; the result is reused for
    /// a second.
    public var accuracyAuthorization: AccuracyAuthorization { core.accuracyAuthorization }
    /// Whether the administrator has the location service switched on; false also while it cannot be reached.
    ///
    /// Without a connection this blocks for at most a quarter of a second to ask the service; the result is reused for
    /// a second.
    public var isLocationServicesEnabled: Bool { core.isLocationServicesEnabled }

    /// True from ``startUpdating()`` to ``stopUpdating()``.
    public var isUpdating: Bool { core.read { $0.isUpdating } }
    /// True from ``startUpdatingHeading()`` to ``stopUpdatingHeading()``.
    public var isUpdatingHeading: Bool { core.read { $0.isUpdatingHeading } }
    /// Requests locations until ``stopUpdating()``, or until the last observer of locations is removed.
    public func startUpdating() { core.update { state, _ in state.startUpdating() } }
    /// The same for so many locations, which count over outages; then it ends by itself.
    public func startUpdating(maximumUpdates: Int) {
        core.update { state, _ in state.startUpdating(maximumUpdates: max(1, maximumUpdates)) }
    }
    /// Ends ``startUpdating()``.
    public func stopUpdating() { core.update { state, _ in state.stopUpdating() } }
    /// Requests headings until ``stopUpdatingHeading()``, or until the last observer of headings is removed.
    public func startUpdatingHeading() { core.update { state, _ in state.startUpdatingHeading() } }
    /// Ends ``startUpdatingHeading()``.
    public func stopUpdatingHeading() { core.update { state, _ in state.stopUpdatingHeading() } }
}

extension LocationManager {
    /// Calls the observer with each location from now on. Adding an observer again has no effect.
    public func addObserver(_ observer: Observer<Location>) { core.update { state, _ in state.add(observer) } }
    /// Calls the observer with each heading from now on. Adding an observer again has no effect.
    public func addObserver(_ observer: Observer<Heading>) { core.update { state, _ in state.add(observer) } }
    /// Calls the observer with the current authorization, as soon as the service has reported it, and with each change.
    public func addObserver(_ observer: Observer<AuthorizationStatus>) {
        core.update { state, _ in state.add(observer) }
    }
    /// Calls the observer with the service's current status, as soon as it has reported it, and with each change.
    public func addObserver(_ observer: Observer<ServiceStatus>) { core.update { state, _ in state.add(observer) } }
    /// Calls the observer with each failure from now on.
    public func addObserver(_ observer: Observer<LocationError>) { core.update { state, _ in state.add(observer) } }
    /// Calls the observer whenever the connection to the service is lost or restored.
    public func addObserver(_ observer: Observer<ConnectionState>) { core.update { state, _ in state.add(observer) } }

    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<Location>) { core.update { state, _ in state.remove(observer) } }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<Heading>) { core.update { state, _ in state.remove(observer) } }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<AuthorizationStatus>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<LocationError>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<ConnectionState>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<ServiceStatus>) {
        core.update { state, _ in state.remove(observer) }
    }
    /// Removes all observers of all kinds.
    public func removeObservers() { core.update { state, _ in state.removeObservers() } }
}

extension LocationManager {
    /// Each location from now on; requests locations while the sequence is alive. It ends when its task is cancelled,
    /// never with an error. A slow loop receives the newest 256.
    public var locations: AsyncStream<Location> { core.sequence(\.locations) }
    /// Each heading from now on; requests headings while the sequence is alive. It ends when its task is cancelled.
    public var headings: AsyncStream<Heading> { core.sequence(\.headings) }
    /// The service's current status, as soon as it has reported it, and each change; starts no receiver.
    public var statuses: AsyncStream<ServiceStatus> { core.sequence(\.statuses) { $0.status } }
    /// The current authorization, immediately, and each change; starts no receiver.
    public var authorizationStatuses: AsyncStream<AuthorizationStatus> { core.authorizationSequence }
    /// Each location, or the reason why there is none; requests locations while the sequence is alive.
    public var updates: AsyncStream<LocationReport> { core.sequence(\.reports) { $0.presentReport } }
}

extension LocationManager {
    /// Requests one location, whether or not updates run, and whatever the filters. Concurrent requests share one
    /// connection.
    ///
    /// - Parameters:
    ///   - timeout: seconds to wait at most; infinity waits without a limit.
    ///   - desiredAccuracy: the horizontal accuracy to wait for, metres; `nil` accepts the first location.
    ///   - maximumAge: how old the location may be, seconds; 0 requests a new one.
    /// - Throws: `timedOut` with the best location received; `unauthorized`, `disabled` and `daemonNotRunning`
    ///   immediately; `unavailable` if no receiver could be reached in time; `invalidParameter` for a negative
    ///   time-out and for an accuracy of 0; `cancelled` if the task is cancelled.
    public func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double
    ) async throws(LocationError) -> Location {
        try await core.requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge)
    }

    /// The same for callers that are not asynchronous. The completion is called exactly once, on the configuration's
    /// delivery.
    public func requestLocation(
        timeout: Double, desiredAccuracy: Double?, maximumAge: Double,
        completion: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) {
        let place = core.configuration.delivery
        core.requestLocation(
            id: core.read { $0.newID() }, timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge
        ) { result in place.run { completion(result) } }
    }

    /// Requests the permission to know the position, and waits for the decision if there is none yet. The request
    /// survives restarts of the service.
    ///
    /// Without a connection this first blocks for at most a quarter of a second to ask the service for its status.
    ///
    /// - Parameters:
    ///   - level: the level to request.
    ///   - startUpdating: whether to start updating once any level is granted; after a denial that is when it is
    ///     granted later, unless ``stopUpdating()`` is called before.
    /// - Returns: true if the level, or more, is granted. Returns false immediately if the position was denied.
    /// - Throws: why the service cannot be reached; `cancelled` if the task is cancelled.
    public func requestAuthorization(
        for level: AuthorizationLevel, startUpdating: Bool
    ) async throws(LocationError) -> Bool {
        try await core.requestAuthorization(for: level, startUpdating: startUpdating)
    }

    /// Requests full accuracy for a program that may know the position with reduced accuracy, and waits for the
    /// decision, which may hold for a while only; ``statuses`` reports its end. The request survives restarts of the
    /// service.
    ///
    /// Without a connection this first blocks for at most a quarter of a second to ask the service for its status.
    ///
    /// - Parameter purpose: what for, shown to the administrator; at most 256 bytes.
    /// - Returns: true if the accuracy is full, or is now. Returns false immediately if no decision can change it.
    /// - Throws: why the service cannot be reached; `cancelled` if the task is cancelled.
    public func requestFullAccuracy(purpose: String) async throws(LocationError) -> Bool {
        try await core.requestFullAccuracy(purpose: purpose)
    }

    /// The same for callers that are not asynchronous. The completion is called exactly once, on the configuration's
    /// delivery.
    public func requestFullAccuracy(
        purpose: String, completion: @escaping @Sendable (Result<Bool, LocationError>) -> Void
    ) {
        let place = core.configuration.delivery
        core.requestFullAccuracy(id: core.read { $0.newID() }, purpose: purpose) { result in
            place.run { completion(result) }
        }
    }

    /// The same for callers that are not asynchronous. The completion is called exactly once, on the configuration's
    /// delivery.
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
