package import Authorization
package import LocationHub
@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel
package import Polkit

/// What the server needs of the program around it.
package struct ServerEnvironment: Sendable {
    package var state: any StatePersistence
    package var sources: any SourceControl
    package var operations: any ServiceOperations
    /// Says whether a user who is no administrator may decide; `nil` if nobody does.
    package var gate: (any ActionGate)?

    package init(
        state: any StatePersistence, sources: any SourceControl, operations: any ServiceOperations,
        gate: (any ActionGate)? = nil
    ) {
        self.state = state
        self.sources = sources
        self.operations = operations
        self.gate = gate
    }
}

/// Persists the server's state. Methods that are not `async` are called on the event loop and must not block.
package protocol StatePersistence: Sendable {
    /// Sequence numbers up to `end` are about to be used.
    func reserveSequences(upTo end: Int64)
    /// Persists the last location for the next start; called at most once a minute.
    func persistLocation(_ location: Location)
    /// Records the master switch's position.
    func setEnabled(_ enabled: Bool)
    /// Records which sources are switched off.
    func setSwitchedOffSources(_ names: Set<String>)
    /// Returns when the latest position of the switches is on the disk; throws an explanation if it cannot be
    /// persisted.
    func persistSwitch() async throws
    /// Returns when the decisions are on the disk; throws an explanation if they cannot be persisted.
    func persistDecisions(_ table: DecisionTable) async throws
    /// Persists the table soon, after a request that no decision has answered.
    func persistDecisionsSoon(_ table: DecisionTable)
    /// Persists the state of reduced accuracy soon.
    func persistReduction(_ reduction: ReducedAccuracy)
    /// Returns when the monitors are on the disk; throws an explanation if they cannot be persisted.
    func persistMonitors(_ monitors: [PersistedMonitor]) async throws
    /// Adds a record to the audit.
    func record(_ record: AuditRecord)
    /// The records of the present day (UTC) and of the day before; called once, at the start.
    func recentAudit() -> [AuditRecord]
    /// Records of the audit; throws an explanation if it cannot be read.
    func audit(_ parameters: AuditParameters) async throws -> [AuditRecord]
}

/// Starts and stops the sources by the hub's demand. Called on the event loop; must not block.
package protocol SourceControl: Sendable {
    /// The first `count` sources of locations by rank are to run from now on.
    func run(_ count: Int)
    /// The sources of these names do not run, whatever their rank.
    func setSwitchedOff(_ names: Set<String>)
    /// How many metres suffice for all who want locations; `nil` for the best.
    func setDesiredAccuracy(_ accuracy: Double?)
    /// Returns when no source runs.
    func awaitStop() async
    /// The compasses are to run from now on, or to stop.
    func runCompasses(_ isWanted: Bool)
    /// Name, configured receiver and counters of each source, by rank; the compasses follow the sources of locations.
    var reports: [(name: String, device: String?, counters: [String: Int])] { get }
}

/// What the program does for the server. Methods that are not `async` are called on the event loop and must not block.
package protocol ServiceOperations: Sendable {
    /// The executor of tasks; `nil` for the runtime's own.
    var tasks: (any TaskExecutor)? { get }
    /// The executor of tasks that may block on a disk, so that they do not delay other tasks.
    var waitingTasks: (any TaskExecutor)? { get }
    /// The executor of look-ups of names for administrators, which may block on a directory service.
    var nameLookUpTasks: (any TaskExecutor)? { get }
    /// The executor of look-ups of users' groups for programs that are served, whose number other users decide: it
    /// delays neither the disk's tasks nor administrators' look-ups.
    var groupLookUpTasks: (any TaskExecutor)? { get }
    /// The uid of a user; `nil` if no user has that name. May block.
    func uid(of name: String) async -> UInt32?
    /// The groups of a user, the primary one and the others; none for a uid without an account. May block; throws an
    /// explanation if they are unknown.
    func groups(of uid: UInt32) async throws -> Set<UInt32>
    /// Looks up the account name of a uid, `nil` if it has none; may block. If this is `nil`, decisions have no names.
    var accountName: (@Sendable (UInt32) async -> String?)? { get }
    /// Reads the configuration again; throws an explanation if it is invalid.
    func reload() async throws -> ReloadReport
    /// Sets the log's level for an administrator; throws an explanation if there is no such level.
    func setLogLevel(_ level: String, by administrator: String) throws
    /// What the system says of the batteries. May block.
    func battery() async -> BatteryReading
    /// The metrics in Prometheus' text format.
    func metrics(_ figures: ServiceFigures) async -> String
    /// Whether something sets the system's clock by a reference.
    var isClockSynchronized: Bool { get }
    /// Returns free memory to the system after most clients have disconnected.
    func trimHeap()
    /// Receives a changed summary within some seconds; `nil` if summaries are not needed.
    var summary: (@Sendable (ServiceSummary) -> Void)? { get }
    /// Called repeatedly while the event loop runs; returns the seconds until the next call. `nil` if there is no
    /// watchdog.
    var heartbeat: (@Sendable () -> Double)? { get }
}
