import Authorization
import CLinux
import DaemonConfiguration
import Glibc
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Logging
@_spi(Programs) import SystemSupport

/// Persists the server's state in the state directory.
struct PersistentState: StatePersistence {
    let store: StateStore
    let monitors: MonitorStore
    let decisions: DecisionStore
    let audit: AuditStore

    func reserveSequences(upTo end: Int64) { store.reserveSequences(upTo: end) }
    func persistLocation(_ location: Location) { store.persist(location) }
    func setEnabled(_ enabled: Bool) { store.set(enabled: enabled) }
    func setSwitchedOffSources(_ names: Set<String>) { store.set(switchedOffSources: names) }
    func persistSwitch() async throws { try await store.persistSwitch() }
    func persistDecisions(_ table: DecisionTable) async throws { try await decisions.persist(table) }
    func persistDecisionsSoon(_ table: DecisionTable) { decisions.remember(table) }
    func persistReduction(_ reduction: ReducedAccuracy) { store.persist(reduction) }
    func persistMonitors(_ monitors: [PersistedMonitor]) async throws { try await self.monitors.persist(monitors) }
    func record(_ record: AuditRecord) { audit.note(record) }
    func recentAudit() -> [AuditRecord] { audit.recentRecords() }
    func audit(_ parameters: AuditParameters) async throws -> [AuditRecord] {
        try await audit.records(parameters)
    }
}

extension SourceSupervisor: SourceControl {
    func run(_ count: Int) { demand(count) }
    func runCompasses(_ isWanted: Bool) { demandCompasses(isWanted) }
}

/// What the daemon does for its server.
struct DaemonOperations: ServiceOperations {
    let tasks: (any TaskExecutor)?
    let waitingTasks: (any TaskExecutor)?
    /// An administrator makes a few at a time.
    let nameLookUpTasks: (any TaskExecutor)? = ThreadsOnDemand(named: "names", limit: 4)
    /// So many users' look-ups may hang before others wait for them.
    let groupLookUpTasks: (any TaskExecutor)? = ThreadsOnDemand(named: "groups", limit: 8)
    let reloader: Reloader
    let metrics: Metrics
    let threshold: LogThreshold
    let logger: Logger
    let summary: (@Sendable (ServiceSummary) -> Void)?
    let heartbeat: (@Sendable () -> Double)?

    /// Directory services may be slow, so this never runs on the event loop.
    @concurrent
    func uid(of name: String) async -> UInt32? {
        try? SystemNames().uid(ofUser: name) ?? nil
    }

    @concurrent
    func groups(of uid: UInt32) async throws -> Set<UInt32> {
        try SystemNames().groups(ofUser: uid)
    }

    var accountName: (@Sendable (UInt32) async -> String?)? { { await Self.name(of: $0) } }

    @concurrent
    private static func name(of uid: UInt32) async -> String? {
        try? SystemNames().name(ofUser: uid) ?? nil
    }

    func reload() async throws -> ReloadReport { try await reloader.reload() }

    func setLogLevel(_ name: String, by administrator: String) throws {
        guard let level = Logger.Level(rawValue: name) else { throw UnknownLevel() }
        // Logged at the more verbose of both levels, so that the log shows the change even if it is silent afterwards.
        threshold.level = min(level, threshold.level)
        logger.log(.logLevelSet, ["level": "\(level)", "by": "\(administrator)"])
        threshold.level = level
    }

    @concurrent
    func battery() async -> BatteryReading { PowerSupplies().reading }

    func metrics(_ figures: ServiceFigures) async -> String { metrics.text(figures) }

    /// The kernel knows; where the sandbox hides that, the file that systemd-timesyncd makes when it has set the clock.
    var isClockSynchronized: Bool {
        let state = clinux_clock_is_synchronized()
        return state < 0 ? access("/run/systemd/timesync/synchronized", F_OK) == 0 : state == 1
    }

    func trimHeap() { clinux_give_memory_back() }
}

private struct UnknownLevel: Error, CustomStringConvertible {
    let description = "trace, debug, info, notice, warning, error or critical"
}
