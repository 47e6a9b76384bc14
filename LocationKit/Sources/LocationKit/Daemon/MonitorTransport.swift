@_spi(Programs) public import LocationModel

/// An event that a transport delivers to a monitor.
@_spi(Programs) public enum MonitorTransportEvent: Sendable, Hashable {
    /// What is persisted under the name; `nil` for nothing. Delivered if the interest has no subjects.
    case persisted(NamedMonitor?)
    /// The service answers. Delivered once, before the first status, and again after each `disconnected`.
    case connected
    /// The connection was lost, or could not be made; delivered for each attempt that fails. Attempts continue while
    /// there is an interest.
    case disconnected(LocationError)
    /// A change of the regions was refused; the regions before the change are still monitored.
    case refused(LocationError)
    /// The current status, then each change.
    case status(ServiceStatus)
    /// These regions are no longer monitored. A region that is added again is monitored from scratch.
    case removed(Set<String>)
    /// A region's state; delivered for every region with each new connection.
    case region(RegionReport)
    /// A significant change.
    case significantChange(Location)
    /// A visit that began or ended.
    case visit(Visit)
}

/// A receiver of events. The transport retains it while there is an interest.
@_spi(Programs) public protocol MonitorTransportClient: AnyObject, Sendable {
    /// Called in order, never concurrently, and with no lock of the transport held.
    func receive(_ news: MonitorTransportEvent)
}

/// How a monitor reaches the location service: the daemon, or a test double.
///
/// `setInterest` never calls back before it returns, so a monitor may hold its lock. The events that it causes
/// immediately are delivered by ``deliverPending()``, which is called without a lock after it.
@_spi(Programs) public protocol MonitorTransport: AnyObject, Sendable {
    /// Replaces the client's interest; `nil` ends the monitoring.
    func setInterest(_ interest: MonitorRequest?, of client: any MonitorTransportClient)

    /// Fetches what is persisted under that name; `nil` for nothing. Blocks for at most a quarter of a second.
    func persistedMonitor(_ name: String) throws(LocationError) -> NamedMonitor?

    /// Delivers pending events, if the transport has no thread of its own.
    func deliverPending()
}
