@_spi(Programs) public import LocationInterface
@_spi(Programs) @_exported public import LocationModel
@_spi(Programs) import SystemSupport

/// An update of a watch. The first has the status and, if there is a fresh one, the location; every later one has
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
    /// Locations that this watch lost since the previous update, because they were not read in time.
    public var dropped = 0

    @_spi(Programs) public init(_ reply: WatchReply) {
        status = reply.status
        location = reply.location?.value
        heading = reply.heading?.value
        satellites = reply.satellites
        dropped = reply.dropped ?? 0
    }
}

extension Location {
    /// Seconds since the fix reached the daemon. Valid on the machine that the daemon runs on.
    public var age: Double {
        age(at: MachineClock.now)
    }
}

extension Location {
    /// The location with a time that is not in the future: a location from the future would count as fresh, and as
    /// newer than all others, until then.
    func arrived(by now: BootInstant) -> Location {
        var location = self
        location.monotonicTime = min(monotonicTime, now)
        return location
    }
}
