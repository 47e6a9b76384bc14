package import LocationModel

/// What a service tells a monitor.
package enum MonitorNews: Sendable, Hashable {
    /// What is kept under the name, which the wish did not know; `nil` for nothing.
    case kept(NamedMonitor?)
    /// The service answers what was wished; told once, before its first status, after each `disconnected` again.
    case connected
    /// The connection was lost, or could not be made; told for each try that fails. Tries go on while a wish stands.
    case disconnected(LocationError)
    /// A change of the regions was refused; what was wished before is told of still.
    case refused(LocationError)
    /// The present state, then each change.
    case status(ServiceStatus)
    /// These are not told of any more; one that is wished again is told of anew.
    case removed(Set<String>)
    /// A region's state, told anew with each connection.
    case region(RegionReport)
    /// A significant change.
    case significantChange(Location)
    /// A visit that began or ended.
    case visit(Visit)
}

/// Who is told. The service holds it strongly while it wishes anything.
package protocol MonitorClient: AnyObject, Sendable {
    /// Called in order, never twice at once, without any lock of the service held.
    func receive(_ news: MonitorNews)
}

/// The location service as one monitor sees it: the daemon, or a double of it.
///
/// `wish` never calls back before it returns, so a monitor may hold its lock; what it causes at once is told in
/// ``settle()``, which is called without a lock after it.
package protocol MonitorService: AnyObject, Sendable {
    /// From now on the client is told this, instead of what it wished before; `nil` for nothing.
    func wish(_ wish: MonitorRequest?, of client: any MonitorClient)

    /// What is kept under that name, asked and answered at once, within a quarter of a second; `nil` for nothing.
    func kept(_ name: String) throws(LocationError) -> NamedMonitor?

    /// Delivers what is due, where the service has no thread of its own.
    func settle()
}
