package import Authorization
package import LocationHub
package import LocationInterface
package import LocationModel

/// What the server asks of the program around it. The plain closures are called on the event loop and must not block.
package struct ServerHooks: Sendable {
    /// The threads of the tasks by which the others are called; `nil` for the runtime's own.
    package var tasks: (any TaskExecutor)?
    /// The same for those that may wait for a disk or a directory service, so that no other waits with them.
    package var waitingTasks: (any TaskExecutor)?
    /// So many of the sources, counted from the preferred one, are to run from now on.
    package var demand: @Sendable (Int) -> Void = { _ in }
    /// Sequence numbers below this are about to be used; keep it where a restart finds it.
    package var reserveSequences: @Sendable (Int64) -> Void = { _ in }
    /// A location worth keeping for after a restart; told once a minute at most.
    package var keepLocation: @Sendable (Location) -> Void = { _ in }
    /// The master switch was thrown: on, or off.
    package var switched: @Sendable (Bool) -> Void = { _ in }
    /// Keeps the switch as it was thrown last; returns when a restart will find it so, throws an explanation if it will
    /// not.
    package var keepSwitch: @Sendable () async throws -> Void = {}
    /// Keeps the decisions; returns when a restart will find them, throws an explanation if it will not.
    package var keepDecisions: @Sendable (DecisionTable) async throws -> Void = { _ in }
    /// Keeps them soon: somebody has asked, and nothing was decided.
    package var rememberDecisions: @Sendable (DecisionTable) -> Void = { _ in }
    /// Keeps what was told roughly, soon.
    package var keepReduction: @Sendable (ReducedAccuracy) -> Void = { _ in }
    /// Keeps the monitors; returns when a restart will find them, throws an explanation if it will not.
    package var keepMonitors: @Sendable ([PersistedMonitor]) async throws -> Void = { _ in }
    /// The number of a user; `nil` if there is none of that name. May block.
    package var uid: @Sendable (String) async -> UInt32? = { _ in nil }
    /// The name of a user's account; `nil` if it has none. May block. Without it no decision has one.
    package var account: (@Sendable (UInt32) async -> String?)?
    /// Something to go into the history.
    package var note: @Sendable (HistoryRecord) -> Void = { _ in }
    /// What the history has of the present day; asked once, at the start.
    package var todaysHistory: @Sendable () -> [HistoryRecord] = { [] }
    /// What the history has; throws an explanation if it cannot be read.
    package var history: @Sendable (GetHistoryParameters) async throws -> [HistoryRecord] = { _ in [] }
    /// Reads the configuration again; throws an explanation if it is invalid.
    package var reload: @Sendable () async throws -> ReloadReport = { ReloadReport(changed: [], needRestart: []) }
    /// Sets the log's level for an administrator; throws an explanation if there is no such level.
    package var setLogLevel: @Sendable (_ level: String, _ by: String) throws -> Void = { _, _ in }
    /// The metrics in Prometheus' text format.
    package var metrics: @Sendable (ServiceFigures) async -> String = { _ in "" }
    /// Name and counters of each source, by rank.
    package var sources: @Sendable () -> [(name: String, counters: [String: Int])] = { [] }
    /// Most of a crowd of clients have left: the memory they took can be given back to the system.
    package var crowdLeft: @Sendable () -> Void = {}

    /// What there is to tell in general, some seconds after it changed at the latest; `nil` if nobody is interested.
    package var summary: (@Sendable (ServiceSummary) -> Void)?
    /// Called over and over while the event loop turns; returns seconds until the next time. `nil` lets it rest.
    package var heartbeat: (@Sendable () -> Double)?

    package init() {}
}
