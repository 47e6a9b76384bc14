public import LocationModel

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
