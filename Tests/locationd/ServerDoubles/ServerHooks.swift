package import Authorization
package import LocationHub
@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel
package import LocationServer
package import Polkit

/// The program around a server, by closures that do nothing unless a test says otherwise.
package struct ServerHooks: StatePersistence, SourceControl, ServiceOperations {
    package var onReservedSequences: @Sendable (Int64) -> Void = { _ in }
    package var onLocation: @Sendable (Location) -> Void = { _ in }
    package var onSwitch: @Sendable (Bool) -> Void = { _ in }
    package var onSwitchedOffSources: @Sendable (Set<String>) -> Void = { _ in }
    package var onPersistSwitch: @Sendable () async throws -> Void = {}
    package var onDecisions: @Sendable (DecisionTable) async throws -> Void = { _ in }
    package var onDecisionsSoon: @Sendable (DecisionTable) -> Void = { _ in }
    package var onReduction: @Sendable (ReducedAccuracy) -> Void = { _ in }
    package var onMonitors: @Sendable ([PersistedMonitor]) async throws -> Void = { _ in }
    package var onRecord: @Sendable (AuditRecord) -> Void = { _ in }
    package var recent: @Sendable () -> [AuditRecord] = { [] }
    package var records: @Sendable (AuditParameters) async throws -> [AuditRecord] = { _ in [] }
    package var onDemand: @Sendable (Int) -> Void = { _ in }
    package var onSourcesOff: @Sendable (Set<String>) -> Void = { _ in }
    package var onAwaitStop: @Sendable () async -> Void = {}
    package var reading: @Sendable () async -> BatteryReading = { .noBattery }
    package var onCompassDemand: @Sendable (Bool) -> Void = { _ in }
    package var sources: @Sendable () -> [(name: String, counters: [String: Int])] = { [] }
    /// The sources' configured receivers by name.
    package var devices: [String: String] = [:]
    package var tasks: (any TaskExecutor)?
    package var waitingTasks: (any TaskExecutor)?
    /// The executor of all look-ups; `nil` for that of waiting tasks.
    package var lookUps: (any TaskExecutor)?
    package var user: @Sendable (String) async -> UInt32? = { _ in nil }
    package var groups: @Sendable (UInt32) async throws -> Set<UInt32> = { _ in [] }
    package var accountName: (@Sendable (UInt32) async -> String?)?
    package var onReload: @Sendable () async throws -> ReloadReport = { ReloadReport(changed: [], needRestart: []) }
    package var onLogLevel: @Sendable (_ level: String, _ by: String) throws -> Void = { _, _ in }
    package var text: @Sendable (ServiceFigures) async -> String = { _ in "" }
    package var isClockSynchronized = false
    package var onTrimHeap: @Sendable () -> Void = {}
    package var summary: (@Sendable (ServiceSummary) -> Void)?
    package var heartbeat: (@Sendable () -> Double)?
    /// `nil` for a server that asks nobody.
    package var gate: (any ActionGate)?

    package init() {}

    package var environment: ServerEnvironment {
        ServerEnvironment(state: self, sources: self, operations: self, gate: gate)
    }

    package func reserveSequences(upTo end: Int64) { onReservedSequences(end) }
    package func persistLocation(_ location: Location) { onLocation(location) }
    package func setEnabled(_ enabled: Bool) { onSwitch(enabled) }
    package func setSwitchedOffSources(_ names: Set<String>) { onSwitchedOffSources(names) }
    package func persistSwitch() async throws { try await onPersistSwitch() }
    package func persistDecisions(_ table: DecisionTable) async throws { try await onDecisions(table) }
    package func persistDecisionsSoon(_ table: DecisionTable) { onDecisionsSoon(table) }
    package func persistReduction(_ reduction: ReducedAccuracy) { onReduction(reduction) }
    package func persistMonitors(_ monitors: [PersistedMonitor]) async throws { try await onMonitors(monitors) }
    package func record(_ record: AuditRecord) { onRecord(record) }
    package func recentAudit() -> [AuditRecord] { recent() }
    package func audit(_ parameters: AuditParameters) async throws -> [AuditRecord] {
        try await records(parameters)
    }
    package func run(_ count: Int) { onDemand(count) }
    package func setSwitchedOff(_ names: Set<String>) { onSourcesOff(names) }
    package func setDesiredAccuracy(_ accuracy: Double?) {}
    package func awaitStop() async { await onAwaitStop() }
    package func battery() async -> BatteryReading { await reading() }
    package func runCompasses(_ isWanted: Bool) { onCompassDemand(isWanted) }
    package var reports: [(name: String, device: String?, counters: [String: Int])] {
        sources().map { ($0.name, devices[$0.name], $0.counters) }
    }
    package var nameLookUpTasks: (any TaskExecutor)? { lookUps ?? waitingTasks }
    package var groupLookUpTasks: (any TaskExecutor)? { lookUps ?? waitingTasks }
    package func groups(of uid: UInt32) async throws -> Set<UInt32> { try await groups(uid) }
    package func uid(of name: String) async -> UInt32? { await user(name) }
    package func reload() async throws -> ReloadReport { try await onReload() }
    package func setLogLevel(_ level: String, by administrator: String) throws { try onLogLevel(level, administrator) }
    package func metrics(_ figures: ServiceFigures) async -> String { await text(figures) }
    package func trimHeap() { onTrimHeap() }
}
