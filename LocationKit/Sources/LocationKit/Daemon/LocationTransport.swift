@_spi(Programs) public import LocationModel

/// The events that a manager wants to receive; `Interest()` is none.
@_spi(Programs) public struct Interest: Sendable, Hashable {
    /// The watch for locations; `nil` for no locations, which needs no receiver.
    @_spi(Programs) public var locations: WatchRequest?
    /// The watch for headings.
    @_spi(Programs) public var headings: WatchRequest?
    /// The watch for status changes alone, which the others deliver too.
    @_spi(Programs) public var status: WatchRequest?

    @_spi(Programs) public init() {}

    /// True if no events are wanted, so that no connection is needed.
    @_spi(Programs) public var isEmpty: Bool { watches.isEmpty }

    /// The watches that are needed; the first one delivers the status. Headings have their own, because they are
    /// neither delayed nor paused with the locations.
    var watches: [WatchRequest] {
        let watches = [locations, headings].compactMap(\.self)
        return watches.isEmpty ? [status].compactMap(\.self) : watches
    }
}

/// An event that a transport delivers to a manager.
@_spi(Programs) public enum TransportEvent: Sendable, Hashable {
    /// The service answers. Delivered once, before the first status, and again after each `disconnected`.
    case connected
    /// The connection was lost, or could not be made; delivered for each attempt that fails. Attempts continue while
    /// there is an interest.
    case disconnected(LocationError)
    /// The current status, then each change.
    case status(ServiceStatus)
    /// A location newer than every location delivered to this manager before, and how many the service has dropped
    /// since.
    case location(Location, dropped: Int)
    /// A heading.
    case heading(Heading)
}

/// A receiver of events. The transport retains it while its interest is not empty.
@_spi(Programs) public protocol TransportClient: AnyObject, Sendable {
    /// Called in order, never concurrently, and with no lock of the transport held.
    func receive(_ event: TransportEvent)
    /// The moment given to ``LocationTransport/scheduleWakeUp(of:at:)`` has come.
    func wakeUp()
}

/// A call in progress.
@_spi(Programs) public protocol CancellableCall: Sendable {
    /// Cancels the call; an answer that is being delivered already may still arrive.
    func cancel()
}

/// How a manager reaches the location service: the daemon, or a test double.
///
/// `setInterest`, `scheduleWakeUp`, and the calls that take a completion never call back before they return, so a
/// manager may hold its lock. The events that they cause immediately are delivered by ``deliverPending()``, which is
/// called without a lock after each of them.
@_spi(Programs) public protocol LocationTransport: AnyObject, Sendable {
    /// The clock for ages and time-outs.
    var now: BootInstant { get }

    /// Replaces the client's interest.
    func setInterest(_ interest: Interest, of client: any TransportClient)

    /// Wakes the client at that moment, in place of the moment given before; `nil` cancels the wake-up.
    func scheduleWakeUp(of client: any TransportClient, at moment: BootInstant?)

    /// Seconds for which a result of ``status()`` may be reused.
    var statusLifetime: Double { get }

    /// Fetches the current status; blocks for at most a quarter of a second.
    func status() throws(LocationError) -> ServiceStatus

    /// The last known location if it is not older than so many seconds. Starts no receiver.
    func lastLocation(
        maximumAge: Double, answer: @escaping @Sendable (Result<Location, LocationError>) -> Void
    ) -> any CancellableCall

    /// Requests authorization. The answer is called with each status until the decision, which is the last.
    ///
    /// - Parameter fullAccuracy: whether full accuracy is requested too.
    func requestAuthorization(
        _ level: AuthorizationLevel, fullAccuracy: Bool, purpose: String?,
        answer: @escaping @Sendable (Result<ServiceStatus, LocationError>, _ isLast: Bool) -> Void
    ) -> any CancellableCall

    /// Delivers pending events and answers, if the transport has no thread of its own.
    func deliverPending()
}

extension LocationTransport {
    @_spi(Programs) public var statusLifetime: Double { 1 }
}
