package import Authorization
package import LocationHub
package import LocationInterface
package import LocationModel

/// The program around the server.
package struct ServerEnvironment: Sendable {
    package var state: any StateKeeping
    package var sources: any SourceControl
    package var operations: any ServiceOperations

    package init(state: any StateKeeping, sources: any SourceControl, operations: any ServiceOperations) {
        self.state = state
        self.sources = sources
        self.operations = operations
    }
}

/// Where a restart finds what the server knows. Calls that are not `async` are made on the event loop and must not block.
package protocol StateKeeping: Sendable {
    /// Sequence numbers below this are about to be used.
    func reserveSequences(upTo end: Int64)
    /// A location worth keeping for after a restart; called once a minute at most.
    func persistLocation(_ location: Location)
    /// The master switch was set: on, or off.
    func setEnabled(_ enabled: Bool)
    /// Returns when a restart will find the switch as it was set last, throws an explanation if it will not.
    func persistSwitch() async throws
    /// Returns when a restart will find the decisions, throws an explanation if it will not.
    func persistDecisions(_ table: DecisionTable) async throws
    /// Persists them soon: somebody has asked, and nothing was decided.
    func persistDecisionsSoon(_ table: DecisionTable)
    /// Persists the state of reduced accuracy, soon.
    func persistReduction(_ reduction: ReducedAccuracy)
    /// Returns when a restart will find the monitors, throws an explanation if it will not.
    func persistMonitors(_ monitors: [PersistedMonitor]) async throws
    /// Adds a record to the history.
    func record(_ record: HistoryRecord)
    /// The present day's records of the history; called once, at the start.
    func todaysHistory() -> [HistoryRecord]
    /// Records of the history; throws an explanation if it cannot be read.
    func history(_ parameters: GetHistoryParameters) async throws -> [HistoryRecord]
}

/// The sources, which the hub's demand starts and stops. Called on the event loop; must not block.
package protocol SourceControl: Sendable {
    /// So many of the sources, counted from the preferred one, are to run from now on.
    func run(_ count: Int)
    /// Name and counters of each source, by rank.
    var reports: [(name: String, counters: [String: Int])] { get }
}

/// What the program does for the server. Calls that are not `async` are made on the event loop and must not block.
package protocol ServiceOperations: Sendable {
    /// The threads of tasks; `nil` for the runtime's own.
    var tasks: (any TaskExecutor)? { get }
    /// The threads of tasks that may wait for a disk or a directory service, so that no other task waits with them.
    var waitingTasks: (any TaskExecutor)? { get }
    /// The number of a user; `nil` if there is none of that name. May block.
    func uid(of name: String) async -> UInt32?
    /// Looks up the name of a user's account, which is `nil` if it has none; may block. Without it decisions have no names.
    var accountName: (@Sendable (UInt32) async -> String?)? { get }
    /// Reads the configuration again; throws an explanation if it is invalid.
    func reload() async throws -> ReloadReport
    /// Sets the log's level for an administrator; throws an explanation if there is no such level.
    func setLogLevel(_ level: String, by administrator: String) throws
    /// The metrics in Prometheus' text format.
    func metrics(_ figures: ServiceFigures) async -> String
    /// Most clients have left: gives the memory that they took back to the system.
    func trimHeap()
    /// Receives a summary some seconds after it changed, at the latest; `nil` if nobody is interested.
    var summary: (@Sendable (ServiceSummary) -> Void)? { get }
    /// Called repeatedly while the event loop runs; returns seconds until the next time. `nil` lets it rest.
    var heartbeat: (@Sendable () -> Double)? { get }
}
