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
            subjects: MonitorSubjects(
                lastOfEach: regions, significantChange: significantChange, visits: visits),
            configuration: configuration,
            service: DaemonMonitorService(path: configuration.socketPath ?? SocketPath.location))
    }

    package init(
        name: String?, subjects: MonitorSubjects, configuration: LocationConfiguration, service: any MonitorService
    ) {
        core = MonitorCore(configuration, name: name, subjects: subjects, service: service)
    }

    deinit {
        core.input { $0.retire() }
    }

    /// The name under which what is monitored is kept over restarts; `nil` if it is not kept.
    public var name: String? { core.name }

    /// The regions.
    ///
    /// A named monitor that has not heard what is kept asks the service, for a quarter of a second at most; while that
    /// does not answer, there are those that were added.
    public var regions: [Region] { core.subjects.regions }

    /// Monitors the region, in place of the one with its identifier. What was known of it holds if it has the same shape.
    public func add(_ region: Region) { core.input { $0.add(region) } }
    /// Monitors the region no more; nothing is told of it once this returns, but for a call that runs already.
    ///
    /// What is kept under a name changes as soon as the monitor monitors, and is connected.
    public func remove(identifier: String) { core.input { $0.remove(identifier) } }

    /// What counts as a significant change; `nil` tells none. A named monitor asks for what is kept, as ``regions`` does.
    public var significantChange: SignificantChange? {
        get { core.subjects.significantChange }
        set { core.input { $0.setSignificantChange(newValue) } }
    }

    /// Whether visits are told. A named monitor asks for what is kept, as ``regions`` does.
    public var monitorsVisits: Bool {
        get { core.subjects.visits }
        set { core.input { $0.setVisits(newValue) } }
    }

    /// True from ``start()`` to ``stop()``, or until somebody removes what is kept under the name, which is told as the
    /// error `noSuchMonitor`.
    public var isMonitoring: Bool { core.read(\.isMonitoring) }
    /// Monitors until ``stop()``; tells each region's state and then what happens.
    public func start() { core.input { $0.start() } }
    /// Ends what ``start()`` began. What is kept under a name stays kept.
    public func stop() { core.input { $0.isMonitoring = false } }

    /// What is known of a region; `nil` before anything is, and for one that is not monitored.
    ///
    /// Of a named monitor that is what was known last, until a fresh fix confirms or changes it.
    public func report(of identifier: String) -> RegionReport? { core.read { $0.report(of: identifier) } }
    /// Why there is a fix, or none, for this program; `nil` while it does not monitor, or the service cannot be heard.
    public var status: ServiceStatus? { core.read(\.status) }
}
