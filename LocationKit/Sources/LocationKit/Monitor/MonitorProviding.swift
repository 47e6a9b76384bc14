@_spi(Programs) public import LocationModel

/// What ``LocationMonitor`` provides. Programs that take this protocol can be tested with a `FakeLocationMonitor`.
///
/// **Demand.** It monitors between ``start()`` and ``stop()``, while one of its asynchronous sequences of reports,
/// changes or visits is alive, and while an observer of these with ``Observer/requestsUpdates`` is added. The receiver
/// runs only as often as the nearest border, the top speed and the visits require.
///
/// **Errors** end nothing: the monitor reconnects by itself and requests the same again. Nothing is reported twice, and
/// what happened at a border meanwhile is reported as soon as a fix shows it.
public protocol MonitorProviding: AnyObject, Sendable {
    // MARK: Subjects

    /// The name under which the monitor is persisted over restarts; `nil` if it is not persisted.
    var name: String? { get }
    /// The regions.
    var regions: [Region] { get }
    /// Monitors the region, in place of the one with its identifier.
    func add(_ region: Region)
    /// Ends the monitoring of a region. Once this returns, no further call of a handler about it begins.
    func remove(identifier: String)
    /// What counts as a significant change; `nil` reports none.
    var significantChange: SignificantChange? { get set }
    /// Whether visits are reported.
    var monitorsVisits: Bool { get set }

    // MARK: Monitoring

    /// True from ``start()`` to ``stop()``.
    var isMonitoring: Bool { get }
    /// Monitors until ``stop()``.
    func start()
    /// Ends ``start()``. What is persisted under a name stays.
    func stop()

    // MARK: Current values

    /// The last report of a region; `nil` before there is one, and for a region that is not monitored.
    func report(of identifier: String) -> RegionReport?
    /// Why there is a fix, or none, for this program; `nil` while it does not monitor, or has no connection.
    var status: ServiceStatus? { get }

    // MARK: Observers

    /// Calls the observer with each region's state and the events at its border. Adding an observer again has no
    /// effect.
    func addObserver(_ observer: Observer<RegionReport>)
    /// Calls the observer with each significant change from now on. Adding an observer again has no effect.
    func addObserver(_ observer: Observer<Location>)
    /// Calls the observer with each visit that begins or ends, from now on. Adding an observer again has no effect.
    func addObserver(_ observer: Observer<Visit>)
    /// Calls the observer with the service's current status, as soon as that is known, and with each change.
    func addObserver(_ observer: Observer<ServiceStatus>)
    /// Calls the observer with each failure: the program is not authorized, the service cannot be reached, or it
    /// refuses.
    func addObserver(_ observer: Observer<LocationError>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<RegionReport>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<Location>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<Visit>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<ServiceStatus>)
    /// Removes the observer. Once this returns, no further call of its handler begins.
    func removeObserver(_ observer: Observer<LocationError>)
    /// Removes all observers of all kinds.
    func removeObservers()

    // MARK: Asynchronous sequences

    /// Each region's state and the events at its border; monitors while the sequence is alive. It ends when its task is
    /// cancelled, never with an error. A slow loop receives the newest 10,000.
    var regionReports: AsyncStream<RegionReport> { get }
    /// Each significant change; monitors while the sequence is alive. A slow loop receives the newest 256.
    var significantLocations: AsyncStream<Location> { get }
    /// Each visit that begins or ends; monitors while the sequence is alive. A slow loop receives the newest 256.
    var visits: AsyncStream<Visit> { get }
    /// The service's current status, as soon as that is known, and each change; does not start monitoring.
    var statuses: AsyncStream<ServiceStatus> { get }
}
