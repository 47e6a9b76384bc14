public import LocationModel

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
