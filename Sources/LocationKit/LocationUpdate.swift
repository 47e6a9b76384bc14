package import LocationInterface
@_exported public import LocationModel
import SystemClock

/// One thing a watch tells. The first has the status and, if there is a fresh one, the location; every later one has
/// exactly one of the four.
public struct LocationUpdate: Sendable, Hashable {
    /// Why there is a fix, or none.
    public var status: ServiceStatus?
    /// A new fix.
    public var location: Location?
    /// A compass reading.
    public var heading: Heading?
    /// The satellites in view.
    public var satellites: [Satellite]?
    /// Locations this watch lost since the update before, because they were not read in time.
    public var dropped = 0

    package init(_ reply: WatchReply) {
        status = reply.status
        location = reply.location?.value
        heading = reply.heading?.value
        satellites = reply.satellites
        dropped = reply.dropped ?? 0
    }
}

extension Location {
    /// Seconds since the fix reached the daemon, now, on the machine the daemon runs on.
    public var age: Double {
        age(at: MachineClock.now)
    }
}
