@_spi(Programs) public import LocationModel

/// Reports when regions are entered and left, significant changes of the location, and visits, over one connection.
///
/// The service decides from the fixes it has, and runs the receiver only as often as necessary. A named monitor is
/// persisted for its user: a program that starts again finds its regions, and is told with the first fresh fix what
/// happened at their borders meanwhile. Only one program at a time can use a name.
///
/// ```swift
/// import LocationKit
///
/// func announce(_ harbour: Region) async {
///     let monitor = LocationMonitor(regions: [harbour])
///     for await report in monitor.regionReports where report.event == .entered {
///         print("in the harbour, by a fix \(report.location?.age ?? 0) s old")
///     }
/// }
/// ```
///
/// Releasing a monitor ends its observers and its monitoring; loops over its sequences go on. What is persisted under a
/// name stays until ``LocationClient/removeMonitor(_:)``.
public final class LocationMonitor: MonitorProviding {
    let core: MonitorCore

    /// With a name and nothing to monitor, the monitor loads what is persisted under the name. Otherwise it replaces
    /// that as soon as it monitors.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes under which the monitor is persisted over restarts, separately for each user; `nil` if
    ///     it is not persisted.
    ///   - regions: of two regions with the same identifier the later one is used.
    ///   - significantChange: what counts as a significant change; `nil` reports none.
    ///   - visits: whether visits are reported.
    ///   - configuration: the socket, purpose, logger and delivery; the other settings are not used.
    public convenience init(
        name: String? = nil, regions: [Region] = [], significantChange: SignificantChange? = nil, visits: Bool = false,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        self.init(
            name: name,
            subjects: MonitorSubjects(
                lastOfEach: regions, significantChange: significantChange, visits: visits),
            configuration: configuration,
            transport: DaemonMonitorTransport(path: configuration.socketPath ?? SocketPath.location))
    }

    @_spi(Programs) public init(
        name: String?, subjects: MonitorSubjects, configuration: LocationConfiguration, transport: any MonitorTransport
    ) {
        core = MonitorCore(configuration, name: name, subjects: subjects, transport: transport)
    }

    deinit {
        core.update { $0.retire() }
    }

    /// The name under which the monitor is persisted over restarts; `nil` if it is not persisted.
    public var name: String? { core.name }

    /// The regions.
    ///
    /// A named monitor that has not loaded the persisted regions asks the service, which blocks for at most a quarter
    /// of a second. If the service does not answer, these are the regions added so far.
    public var regions: [Region] { core.subjects.regions }

    /// Monitors the region, in place of the one with its identifier. If both have the same shape, the known state stays
    /// valid.
    public func add(_ region: Region) { core.update { $0.add(region) } }
    /// Ends the monitoring of a region. Once this returns, no further call of a handler about it begins.
    ///
    /// What is persisted under a name changes as soon as the monitor monitors and is connected.
    public func remove(identifier: String) { core.update { $0.remove(identifier) } }

    /// What counts as a significant change; `nil` reports none. A named monitor loads this as ``regions`` does.
    public var significantChange: SignificantChange? {
        get { core.subjects.significantChange }
        set { core.update { $0.setSignificantChange(newValue) } }
    }

    /// Whether visits are reported. A named monitor loads this as ``regions`` does.
    public var monitorsVisits: Bool {
        get { core.subjects.visits }
        set { core.update { $0.setVisits(newValue) } }
    }

    /// True from ``start()`` to ``stop()``, or until the persisted monitor is removed, which is reported as the error
    /// `noSuchMonitor`.
    public var isMonitoring: Bool { core.read(\.isMonitoring) }
    /// Monitors until ``stop()``; reports each region's state and then each event.
    public func start() { core.update { $0.start() } }
    /// Ends ``start()``. What is persisted under a name stays.
    public func stop() { core.update { $0.isMonitoring = false } }

    /// The last report of a region; `nil` before there is one, and for a region that is not monitored.
    ///
    /// For a named monitor this is the persisted report until a fresh fix confirms or changes it.
    public func report(of identifier: String) -> RegionReport? { core.read { $0.report(of: identifier) } }
    /// Why there is a fix, or none, for this program; `nil` while it does not monitor, or has no connection.
    public var status: ServiceStatus? { core.read(\.status) }
}

extension LocationMonitor {
    /// Calls the observer with each region's state and the events at its border. Adding an observer again has no
    /// effect.
    public func addObserver(_ observer: Observer<RegionReport>) { core.add(observer, to: \.reports) }
    /// Calls the observer with each significant change from now on. Adding an observer again has no effect.
    public func addObserver(_ observer: Observer<Location>) { core.add(observer, to: \.locations) }
    /// Calls the observer with each visit that begins or ends, from now on. Adding an observer again has no effect.
    public func addObserver(_ observer: Observer<Visit>) { core.add(observer, to: \.visits) }
    /// Calls the observer with the service's current status, as soon as that is known, and with each change.
    public func addObserver(_ observer: Observer<ServiceStatus>) {
        core.add(observer, to: \.statuses) { $0.status }
    }
    /// Calls the observer with each failure: the program is not authorized, the service cannot be reached, or it
    /// refuses.
    public func addObserver(_ observer: Observer<LocationError>) { core.add(observer, to: \.errors) }

    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<RegionReport>) { core.remove(observer, from: \.reports) }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<Location>) { core.remove(observer, from: \.locations) }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<Visit>) { core.remove(observer, from: \.visits) }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<ServiceStatus>) { core.remove(observer, from: \.statuses) }
    /// Removes the observer. Once this returns, no further call of its handler begins.
    public func removeObserver(_ observer: Observer<LocationError>) { core.remove(observer, from: \.errors) }
    /// Removes all observers of all kinds.
    public func removeObservers() { core.update { $0.removeObservers() } }
}

extension LocationMonitor {
    /// Each region's state and the events at its border; monitors while the sequence is alive. It ends when its task is
    /// cancelled, never with an error. A slow loop receives the newest 10,000.
    public var regionReports: AsyncStream<RegionReport> { core.sequence(\.reports) }
    /// Each significant change; monitors while the sequence is alive. A slow loop receives the newest 256.
    public var significantLocations: AsyncStream<Location> { core.sequence(\.locations) }
    /// Each visit that begins or ends; monitors while the sequence is alive. A slow loop receives the newest 256.
    public var visits: AsyncStream<Visit> { core.sequence(\.visits) }
    /// The service's current status, as soon as that is known, and each change; does not start monitoring.
    public var statuses: AsyncStream<ServiceStatus> { core.sequence(\.statuses) { $0.status } }
}

private typealias SubscriberListPath<Value: Sendable & Equatable> = WritableKeyPath<MonitorState, SubscriberList<Value>>
    & Sendable

extension MonitorCore {
    fileprivate func add<Value>(
        _ observer: Observer<Value>, to path: any SubscriberListPath<Value>,
        present: (MonitorState) -> Value? = { _ in nil }
    ) {
        update { state in
            let (place, value) = (state.configuration.delivery, present(state))
            state.change(path) { $0.add(observer, place: place, current: value, &$1) }
        }
    }

    fileprivate func remove<Value>(_ observer: Observer<Value>, from path: any SubscriberListPath<Value>) {
        update { $0.change(path) { subscribers, outbox in subscribers.removeObservers(&outbox) { $0 === observer } } }
    }
}

extension MonitorState {
    fileprivate mutating func change<Value>(
        _ path: any SubscriberListPath<Value>, _ change: (inout SubscriberList<Value>, inout Outbox) -> Void
    ) {
        var subscribers = self[keyPath: path]
        change(&subscribers, &outbox)
        self[keyPath: path] = subscribers
    }
}
