@_spi(Programs) package import LocationModel

/// What the owner of the hub has to do, in this order.
package enum HubAction: Sendable, Equatable {
    /// Encode the location once and send the same bytes to each.
    case sendLocation(Location, to: [WatchID])
    /// Encode the locations once and send them to each in one write.
    case sendBatch(LocationBatch, to: [WatchID])
    case sendStatus(ServiceStatus, to: [WatchID])
    case sendHeading(Heading, at: BootInstant, to: [WatchID])
    case sendSatellites([Satellite], to: [WatchID])
    /// Send this update to one watch alone.
    case reply(WatchID, WatchUpdate)
    /// The client cannot follow; end its connection.
    case disconnect(WatchID, reason: String)
    case answer(RequestID, LocationAnswer)
    /// Run this many of the sources of locations, counted from the preferred one.
    case demand(Int)
    /// Run all sources but these, which an administrator has switched off, as far as their ranks are to run.
    case switchSources(off: Set<String>)
    /// Tell the sources how many metres suffice for all who want locations; `nil` for the best.
    case desireAccuracy(Double?)
    /// Read the battery, and pass the result to ``Hub/applyBattery(_:at:)``.
    case readBattery
    /// Run the compasses, or stop them.
    case demandCompasses(Bool)
    /// A client that has read all it was sent has updates held: fetch them with ``Hub/popHeld(_:at:)``.
    case catchUp(WatchID)
    /// The owner removed the monitor; notify its client, whose call ends with this.
    case endMonitor(WatchID, name: String)
    /// A named monitor of a user who may no longer know the position was removed to make room for an authorized user's.
    case monitorDisplaced(MonitorKey)
    /// Persist ``Hub/monitorsToPersist()``, then call ``Hub/monitorsPersisted(_:)``.
    case persistMonitors
    /// Monitor events are being sent before they could be persisted.
    case monitorPersistenceTimedOut
    /// The reduction state changed: persist ``Hub/reduction``.
    case persistReduction
    /// Sequence numbers up to this one, exclusive, are about to be used: persist that bound.
    case reserveSequences(upTo: Int64)
}

/// One reply of a watch or a monitor.
package struct WatchUpdate: Sendable, Equatable {
    package var status: ServiceStatus?
    package var location: Location?
    package var heading: Heading?
    package var headingTime: BootInstant?
    package var satellites: [Satellite]?
    /// The region's state or event that a monitor reports.
    package var region: RegionReport?
    package var visit: Visit?
    /// Locations lost since the previous reply.
    package var dropped = 0
    /// True if the watch ends with this reply.
    package var isFinal = false
    /// The reply waits until this version of the monitors is persisted; `nil` if it need not wait, and once it is sent.
    var revision: Int?

    package init(
        status: ServiceStatus? = nil, location: Location? = nil, region: RegionReport? = nil, visit: Visit? = nil
    ) {
        self.status = status
        self.location = location
        self.region = region
        self.visit = visit
    }

    /// True if it contains a present or past position.
    package var containsPosition: Bool { location != nil || region?.location != nil || visit != nil }
}
