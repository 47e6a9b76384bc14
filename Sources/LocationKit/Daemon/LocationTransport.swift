package import LocationModel

/// What a manager wants to be told; nothing at all is `Interest()`.
package struct Interest: Sendable, Hashable {
    /// The locations to be told; `nil` for none, and no receiver.
    package var locations: LocationFilter?
    /// Whether headings are to be told.
    package var headings = false
    /// Whether the service's state is to be told. It is told with anything else too.
    package var status = false
    /// What it is for.
    package var purpose: String?

    package init() {}

    /// True if nothing is wanted: no connection is needed.
    package var isEmpty: Bool { locations == nil && !headings && !status }
}

/// What a service tells a manager.
package enum TransportEvent: Sendable, Hashable {
    /// The service answers what was interests; told once, before its first status, after each `disconnected` again.
    case connected
    /// The connection was lost, or could not be made; told for each try that fails. Tries go on while an interest stands.
    case disconnected(LocationError)
    /// The present state, then each change.
    case status(ServiceStatus)
    /// A location newer than all told before to this manager, and how many the service has lost since.
    case location(Location, dropped: Int)
    /// A heading.
    case heading(Heading)
}

/// Who is told. The service holds it strongly while its interest is not empty.
package protocol TransportClient: AnyObject, Sendable {
    /// Called in order, never twice at once, without any lock of the service held.
    func receive(_ event: TransportEvent)
    /// The moment given to ``LocationTransport/wake(_:at:)`` has come.
    func wakeUp()
}

/// A call that can be given up.
package protocol CancellableCall: Sendable {
    /// Nothing is answered any more, but for an answer that is on its way.
    func cancel()
}

/// The location service as a manager sees it: the daemon, or a double of it.
///
/// `interest`, `wake`, and the calls that take a completion never call back before they return, so a manager may hold its
/// lock; what they cause at once is told in ``deliverPending()``, which is called without a lock after each of them.
package protocol LocationTransport: AnyObject, Sendable {
    /// The clock on which ages and time-outs are computed.
    var now: BootInstant { get }

    /// From now on the client is told this, instead of what it interests before.
    func setInterest(_ interest: Interest, of client: any TransportClient)

    /// Wakes the client at that moment, and not at the one that was given before; `nil` for never.
    func scheduleWakeUp(of client: any TransportClient, at moment: BootInstant?)

    /// Seconds for which an answer of ``status()`` is good.
    var statusLifetime: Double { get }

    /// The state now, asked and answered at once, within a quarter of a second.
    func status() throws(LocationError) -> ServiceStatus

    /// The last known location if it is no older than so many seconds, without starting a receiver.
    func lastLocation(
        maximumAge: Double, answer: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) -> any CancellableCall

    /// Asks for authorization: the answer is called with each status until the decision, which is the last.
    func requestAuthorization(
        _ level: AuthorizationLevel, purpose: String?,
        answer: @escaping @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void
    ) -> any CancellableCall

    /// Delivers what is due, where the service has no thread of its own.
    func deliverPending()
}

extension LocationTransport {
    package var statusLifetime: Double { 1 }
}
