@_spi(Programs) public import LocationKit
@_spi(Programs) public import LocationModel

/// Forwards everything to the real monitor.
extension FakeLocationMonitor: MonitorProviding {
    /// The name under which the monitor is persisted.
    public var name: String? { monitor.name }
    /// The regions.
    public var regions: [Region] { monitor.regions }
    /// Monitors the region.
    public func add(_ region: Region) { monitor.add(region) }
    /// Ends the monitoring of a region.
    public func remove(identifier: String) { monitor.remove(identifier: identifier) }
    /// What counts as a significant change.
    public var significantChange: SignificantChange? {
        get { monitor.significantChange }
        set { monitor.significantChange = newValue }
    }
    /// Whether visits are reported.
    public var monitorsVisits: Bool {
        get { monitor.monitorsVisits }
        set { monitor.monitorsVisits = newValue }
    }

    /// True from ``start()`` to ``stop()``.
    public var isMonitoring: Bool { monitor.isMonitoring }
    /// Monitors until ``stop()``.
    public func start() { monitor.start() }
    /// Ends ``start()``.
    public func stop() { monitor.stop() }

    /// The last report of a region.
    public func report(of identifier: String) -> RegionReport? { monitor.report(of: identifier) }
    /// The last status that the service delivered.
    public var status: ServiceStatus? { monitor.status }

    /// Calls the observer with each region's state and the events at its border.
    public func addObserver(_ observer: Observer<RegionReport>) { monitor.addObserver(observer) }
    /// Calls the observer with each significant change.
    public func addObserver(_ observer: Observer<Location>) { monitor.addObserver(observer) }
    /// Calls the observer with each visit.
    public func addObserver(_ observer: Observer<Visit>) { monitor.addObserver(observer) }
    /// Calls the observer with the service's status.
    public func addObserver(_ observer: Observer<ServiceStatus>) { monitor.addObserver(observer) }
    /// Calls the observer with each failure.
    public func addObserver(_ observer: Observer<LocationError>) { monitor.addObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<RegionReport>) { monitor.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<Location>) { monitor.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<Visit>) { monitor.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<ServiceStatus>) { monitor.removeObserver(observer) }
    /// Removes the observer.
    public func removeObserver(_ observer: Observer<LocationError>) { monitor.removeObserver(observer) }
    /// Removes all observers of all kinds.
    public func removeObservers() { monitor.removeObservers() }

    /// Each region's state and the events at its border.
    public var regionReports: AsyncStream<RegionReport> { monitor.regionReports }
    /// Each significant change.
    public var significantLocations: AsyncStream<Location> { monitor.significantLocations }
    /// Each visit.
    public var visits: AsyncStream<Visit> { monitor.visits }
    /// The service's status.
    public var statuses: AsyncStream<ServiceStatus> { monitor.statuses }
}
