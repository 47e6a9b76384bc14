package import LocationModel

/// What the holder of the hub is to do, in this order.
package enum HubAction: Sendable, Equatable {
    /// Encode the location once and send the same bytes to each.
    case sendLocation(Location, to: [WatchID])
    case sendStatus(ServiceStatus, to: [WatchID])
    case sendHeading(Heading, at: BootInstant, to: [WatchID])
    case sendSatellites([Satellite], to: [WatchID])
    /// Send this to one watch, which has something of its own to be told.
    case reply(WatchID, WatchUpdate)
    /// The client cannot follow; end its connection.
    case disconnect(WatchID, reason: String)
    case answer(RequestID, LocationAnswer)
    /// So many of the sources, counted from the preferred one, are to run from now on.
    case demand(Int)
    /// Something waits for a client that has read all before it: take it by ``Hub/takeHeld(_:at:)``.
    case catchUp(WatchID)
    /// The monitor was forgotten by its owner; tell its client, whose call ends with it.
    case endMonitor(WatchID, name: String)
    /// What a user kept who may not know the position any more is forgotten, because somebody who may needs the room.
    case monitorDisplaced(MonitorKey)
    /// Keep ``Hub/monitorsToKeep()`` where a restart finds it, then call ``Hub/monitorsKept(_:)``.
    case keepMonitors
    /// What monitors tell is told before it could be kept.
    case monitorsUnkept
    /// What was told roughly changed: keep ``Hub/reduction`` where a restart finds it.
    case keepReduction
    /// Sequence numbers up to this one, exclusive, are about to be used: keep it where a restart finds it.
    case reserveSequences(upTo: Int64)
}

/// One reply of a watch or a monitor.
package struct WatchUpdate: Sendable, Equatable {
    package var status: ServiceStatus?
    package var location: Location?
    package var heading: Heading?
    package var headingTime: BootInstant?
    package var satellites: [Satellite]?
    /// What a monitor tells of a region.
    package var region: RegionReport?
    package var visit: Visit?
    /// Locations lost since the reply before.
    package var dropped = 0
    /// True if the watch ends with it.
    package var isFinal = false
    /// It waits until this version of the monitors is kept; `nil` if for none, and once it is sent.
    var revision: Int?

    package init(
        status: ServiceStatus? = nil, location: Location? = nil, region: RegionReport? = nil, visit: Visit? = nil
    ) {
        self.status = status
        self.location = location
        self.region = region
        self.visit = visit
    }

    /// True if it tells where the machine is or was.
    package var tellsPosition: Bool { location != nil || region?.location != nil || visit != nil }
}
