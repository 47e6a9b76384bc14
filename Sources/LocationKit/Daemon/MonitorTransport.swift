package import LocationModel

/// What a monitor wants to be told.
package struct MonitorInterest: Sendable, Hashable {
    /// Under which it is kept; `nil` if it is not.
    package var name: String?
    /// `nil` if it is not known yet what is kept under the name: ``MonitorTransportEvent/kept(_:)`` tells, and an interest that says
    /// it is awaited.
    package var subjects: MonitorSubjects?
    /// What it is for.
    package var purpose: String?

    package init(name: String? = nil, subjects: MonitorSubjects?, purpose: String? = nil) {
        self.name = name
        self.subjects = subjects
        self.purpose = purpose
    }
}

/// What a service tells a monitor.
package enum MonitorTransportEvent: Sendable, Hashable {
    /// What is kept under the name, which the interest did not know; `nil` for nothing.
    case kept(KeptMonitor?)
    /// The service answers what was interests; told once, before its first status, after each `disconnected` again.
    case connected
    /// The connection was lost, or could not be made; told for each try that fails. Tries go on while an interest stands.
    case disconnected(LocationError)
    /// A change of the regions was refused; what was interests before is told of still.
    case refused(LocationError)
    /// The present state, then each change.
    case status(ServiceStatus)
    /// These are not told of any more; one that is interests again is told of anew.
    case removed(Set<String>)
    /// A region's state, told anew with each connection.
    case region(RegionReport)
    /// A significant change.
    case significantChange(Location)
    /// A visit that began or ended.
    case visit(Visit)
}

/// Who is told. The service holds it strongly while it wishes anything.
package protocol MonitorTransportClient: AnyObject, Sendable {
    /// Called in order, never twice at once, without any lock of the service held.
    func receive(_ news: MonitorTransportEvent)
}

/// The location service as one monitor sees it: the daemon, or a double of it.
///
/// `interest` never calls back before it returns, so a monitor may hold its lock; what it causes at once is told in
/// ``deliverPending()``, which is called without a lock after it.
package protocol MonitorTransport: AnyObject, Sendable {
    /// From now on the client is told this, instead of what it interests before; `nil` for nothing.
    func setInterest(_ interest: MonitorInterest?, of client: any MonitorTransportClient)

    /// What is kept under that name, asked and answered at once, within a quarter of a second; `nil` for nothing.
    func kept(_ name: String) throws(LocationError) -> KeptMonitor?

    /// Delivers what is due, where the service has no thread of its own.
    func deliverPending()
}
