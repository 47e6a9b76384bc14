public import LocationModel

/// Tells when regions are entered and left, when the machine has really moved, and where it stays, over one connection.
///
/// The service decides by the fixes it has, and runs the receiver only as often as it needs to. With a name it keeps what
/// is monitored, for this user: a program that starts again finds its regions, and is told what happened at their
/// borders meanwhile, by a fresh fix. One program at a time has a name.
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
/// When a monitor is released, its observers and its monitoring end; loops over its sequences go on. What is kept under a
/// name stays kept until ``LocationClient/removeMonitor(_:)``.
public final class LocationMonitor: MonitorProviding {
    let core: MonitorCore

    /// A monitor of these. With a name and nothing to monitor it takes up what is kept under the name, else it replaces
    /// that as soon as it monitors.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes under which it is kept over restarts, each user's own; `nil` if it is not to be kept.
    ///   - regions: of two with the same identifier the later one counts.
    ///   - significantChange: what counts as one; `nil` tells none.
    ///   - visits: whether visits are told.
    ///   - configuration: the socket, purpose, logger and delivery; nothing else of it matters.
    public convenience init(
        name: String? = nil, regions: [Region] = [], significantChange: SignificantChange? = nil, visits: Bool = false,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        self.init(
            name: name,
            subjects: MonitorSubjects(regions: regions, significantChange: significantChange, visits: visits),
            configuration: configuration,
            transport: DaemonMonitorTransport(path: configuration.socketPath ?? SocketPath.location))
    }

    package init(
        name: String?, subjects: MonitorSubjects, configuration: LocationConfiguration, transport: any MonitorTransport
    ) {
        core = MonitorCore(configuration, name: name, subjects: subjects, transport: transport)
    }

    deinit {
        core.update { $0.retire() }
    }

    /// The name under which what is monitored is kept over restarts; `nil` if it is not kept.
    public var name: String? { core.name }

    /// The regions.
    ///
    /// A named monitor that has not heard what is kept asks the transport, for a quarter of a second at most; while that
    /// does not answer, there are those that were added.
    public var regions: [Region] { core.subjects.regions }

    /// Monitors the region, in place of the one with its identifier. What was known of it holds if it has the same shape.
    public func add(_ region: Region) { core.update { $0.add(region) } }
    /// Monitors the region no more; nothing is told of it once this returns, but for a call that runs already.
    ///
    /// What is kept under a name changes as soon as the monitor monitors, and is connected.
    public func remove(identifier: String) { core.update { $0.remove(identifier) } }

    /// What counts as a significant change; `nil` tells none. A named monitor asks for what is kept, as ``regions`` does.
    public var significantChange: SignificantChange? {
        get { core.subjects.significantChange }
        set { core.update { $0.setSignificantChange(newValue) } }
    }

    /// Whether visits are told. A named monitor asks for what is kept, as ``regions`` does.
    public var monitorsVisits: Bool {
        get { core.subjects.visits }
        set { core.update { $0.setVisits(newValue) } }
    }

    /// True from ``start()`` to ``stop()``, or until somebody removes what is kept under the name, which is told as the
    /// error `noSuchMonitor`.
    public var isMonitoring: Bool { core.read(\.isMonitoring) }
    /// Monitors until ``stop()``; tells each region's state and then what happens.
    public func start() { core.update { $0.start() } }
    /// Ends what ``start()`` began. What is kept under a name stays kept.
    public func stop() { core.update { $0.isMonitoring = false } }

    /// What is known of a region; `nil` before anything is, and for one that is not monitored.
    ///
    /// Of a named monitor that is what was known last, until a fresh fix confirms or changes it.
    public func report(of identifier: String) -> RegionReport? { core.read { $0.report(of: identifier) } }
    /// Why there is a fix, or none, for this program; `nil` while it does not monitor, or the service cannot be heard.
    public var status: ServiceStatus? { core.read(\.status) }
}

extension LocationMonitor {
    /// Tells the observer each region's state and what happens at its border, from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<RegionReport>) { core.add(observer, to: \.reports) }
    /// Tells the observer each significant change from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Location>) { core.add(observer, to: \.locations) }
    /// Tells the observer each visit that begins or ends, from now on. Adding it twice is once.
    public func addObserver(_ observer: Observer<Visit>) { core.add(observer, to: \.visits) }
    /// Tells the observer the service's present state, as soon as that has told it, and each change.
    public func addObserver(_ observer: Observer<ServiceStatus>) {
        core.add(observer, to: \.statuses) { $0.status }
    }
    /// Tells the observer each failure from now on: that the service may not tell, cannot be reached, or refuses.
    public func addObserver(_ observer: Observer<LocationError>) { core.add(observer, to: \.errors) }

    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<RegionReport>) { core.remove(observer, from: \.reports) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Location>) { core.remove(observer, from: \.locations) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<Visit>) { core.remove(observer, from: \.visits) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<ServiceStatus>) { core.remove(observer, from: \.statuses) }
    /// Nothing is told to the observer any more once this returns, but for a call that runs already.
    public func removeObserver(_ observer: Observer<LocationError>) { core.remove(observer, from: \.errors) }
    /// Removes every observer of every kind.
    public func removeObservers() { core.update { $0.removeObservers() } }
}

extension LocationMonitor {
    /// Each region's state and what happens at its border, from now on; monitors while it is alive. Ends when its task
    /// is cancelled and never by an error. A loop that is slow finds the newest 10,000.
    public var regionReports: AsyncStream<RegionReport> { core.sequence(\.reports) }
    /// Each significant change from now on; monitors while it is alive. A loop that is slow finds the newest 256.
    public var significantLocations: AsyncStream<Location> { core.sequence(\.locations) }
    /// Each visit that begins or ends, from now on; monitors while it is alive. A loop that is slow finds the newest 256.
    public var visits: AsyncStream<Visit> { core.sequence(\.visits) }
    /// The service's present state, as soon as it has told it, and each change; monitors nothing by itself.
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
