public import LocationModel

/// Tells when regions are entered and left, when the machine has really moved, and where it stays: what
/// ``LocationMonitor`` does, and what a program's own code should ask for, so that its tests can give it a
/// `FakeLocationMonitor` instead.
///
/// **Demand.** It monitors between ``start()`` and ``stop()``, while one of its asynchronous sequences of reports, changes
/// or visits is alive, and while an observer of these that ``Observer/requestsUpdates`` is added. The receiver runs only as often as
/// the nearest border, the top speed and the visits need.
///
/// **Errors** end nothing: the monitor finds the service again by itself and asks again for what was asked. Nothing is
/// told twice, and what happened at a border meanwhile is told as soon as a fix shows it.
public protocol MonitorProviding: AnyObject, Sendable {
    // MARK: What is monitored

    /// The name under which what is monitored is kept over restarts; `nil` if it is not kept.
    var name: String? { get }
    /// The regions.
    var regions: [Region] { get }
    /// Monitors the region, in place of the one with its identifier.
    func add(_ region: Region)
    /// Monitors the region no more; nothing is told of it once this returns, but for a call that runs already.
    func remove(identifier: String)
    /// What counts as a significant change; `nil` tells none.
    var significantChange: SignificantChange? { get set }
    /// Whether visits are told.
    var monitorsVisits: Bool { get set }

    // MARK: Monitoring

    /// True from ``start()`` to ``stop()``.
    var isMonitoring: Bool { get }
    /// Monitors until ``stop()``.
    func start()
    /// Ends what ``start()`` began. What is kept under a name stays kept.
    func stop()

    // MARK: What is known

    /// What is known of a region; `nil` before anything is, and for one that is not monitored.
    func report(of identifier: String) -> RegionReport?
    /// Why there is a fix, or none, for this program; `nil` while it does not monitor, or the service cannot be heard.
    var status: ServiceStatus? { get }

    // MARK: Observers

    /// Tells the observer each region's state and what happens at its border, from now on. Adding it twice is once.
    func addObserver(_ observer: Observer<RegionReport>)
    /// Tells the observer each significant change from now on. Adding it twice is once.
    func addObserver(_ observer: Observer<Location>)
    /// Tells the observer each visit that begins or ends, from now on. Adding it twice is once.
    func addObserver(_ observer: Observer<Visit>)
    /// Tells the observer the service's present state, as soon as that has told it, and each change.
    func addObserver(_ observer: Observer<ServiceStatus>)
    /// Tells the observer each failure from now on: that the service may not tell, cannot be reached, or refuses.
    func addObserver(_ observer: Observer<LocationError>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<RegionReport>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<Location>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<Visit>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<ServiceStatus>)
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    func removeObserver(_ observer: Observer<LocationError>)
    /// Removes every observer of every kind.
    func removeObservers()

    // MARK: Asynchronous sequences

    /// Each region's state and what happens at its border, from now on; monitors while it is alive. Ends when its task
    /// is cancelled and never by an error. A loop that is slow finds the newest 10,000.
    var regionReports: AsyncStream<RegionReport> { get }
    /// Each significant change from now on; monitors while it is alive. A loop that is slow finds the newest 256.
    var significantLocations: AsyncStream<Location> { get }
    /// Each visit that begins or ends, from now on; monitors while it is alive. A loop that is slow finds the newest 256.
    var visits: AsyncStream<Visit> { get }
    /// The service's present state, as soon as it has told it, and each change; monitors nothing by itself.
    var statuses: AsyncStream<ServiceStatus> { get }
}
