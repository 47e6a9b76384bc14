public import LocationKit
public import LocationModel

/// Everything the monitor does, the fake has it do.
extension FakeLocationMonitor: MonitorProviding {
    /// The name under which it is kept.
    public var name: String? { monitor.name }
    /// The regions.
    public var regions: [Region] { monitor.regions }
    /// Monitors the region.
    public func add(_ region: Region) { monitor.add(region) }
    /// Monitors the region no more.
    public func remove(identifier: String) { monitor.remove(identifier: identifier) }
    /// What counts as a significant change.
    public var significantChange: SignificantChange? {
        get { monitor.significantChange }
        set { monitor.significantChange = newValue }
    }
    /// Whether visits are told.
    public var monitorsVisits: Bool {
        get { monitor.monitorsVisits }
        set { monitor.monitorsVisits = newValue }
    }

    /// True from ``start()`` to ``stop()``.
    public var isMonitoring: Bool { monitor.isMonitoring }
    /// Monitors until ``stop()``.
    public func start() { monitor.start() }
    /// Ends what ``start()`` began.
    public func stop() { monitor.stop() }

    /// What is known of a region.
    public func report(of identifier: String) -> RegionReport? { monitor.report(of: identifier) }
    /// The service's state, as far as it has told it.
    public var status: ServiceStatus? { monitor.status }

    /// Tells the observer each region's state and what happens at its border.
    public func addObserver(_ observer: Observer<RegionReport>) { monitor.addObserver(observer) }
    /// Tells the observer each significant change.
    public func addObserver(_ observer: Observer<Location>) { monitor.addObserver(observer) }
    /// Tells the observer each visit.
    public func addObserver(_ observer: Observer<Visit>) { monitor.addObserver(observer) }
    /// Tells the observer the service's state.
    public func addObserver(_ observer: Observer<ServiceStatus>) { monitor.addObserver(observer) }
    /// Tells the observer each failure.
    public func addObserver(_ observer: Observer<LocationError>) { monitor.addObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<RegionReport>) { monitor.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<Location>) { monitor.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<Visit>) { monitor.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<ServiceStatus>) { monitor.removeObserver(observer) }
    /// Tells the observer nothing any more.
    public func removeObserver(_ observer: Observer<LocationError>) { monitor.removeObserver(observer) }
    /// Removes every observer of every kind.
    public func removeObservers() { monitor.removeObservers() }

    /// Each region's state and what happens at its border.
    public var regionReports: AsyncStream<RegionReport> { monitor.regionReports }
    /// Each significant change.
    public var significantLocations: AsyncStream<Location> { monitor.significantLocations }
    /// Each visit.
    public var visits: AsyncStream<Visit> { monitor.visits }
    /// The service's state.
    public var statuses: AsyncStream<ServiceStatus> { monitor.statuses }
}
