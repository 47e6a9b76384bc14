import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ServerDoubles
import Synchronization
@_spi(Programs) import SystemSupport

@testable import locationd

/// What the service asks of the program around it. What it has done beside its event loop is done here on the fuzzer's
/// own thread, when it says so.
///
/// Nothing is kept, but everything could be: what is given to be kept reads the same when it has been written.
final class FuzzedEnvironment: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var demand = 0
        var hasDecided = false
        var records: [AuditRecord] = []
    }
    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// - Returns: false if there was nothing to do.
    func run() -> Bool {
        let jobs = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        return !jobs.isEmpty
    }

    /// So many sources are to run.
    var demand: Int { state.withLock { $0.demand } }

    /// True if it was decided since the last time who may know.
    func takeDecided() -> Bool {
        state.withLock { state in
            defer { state.hasDecided = false }
            return state.hasDecided
        }
    }

    var hooks: ServerHooks {
        var hooks = ServerHooks()
        hooks.tasks = self
        hooks.waitingTasks = self
        hooks.onDemand = { [self] count in state.withLock { $0.demand = count } }
        hooks.onDecisions = { [self] table in
            state.withLock { $0.hasDecided = true }
            Self.check(table)
        }
        hooks.onDecisionsSoon = { Self.check($0) }
        hooks.onMonitors = { Self.check($0) }
        hooks.user = { ["anna": 1003, "bert": 1004][$0] }
        hooks.onRecord = { [self] record in state.withLock { $0.records.append(record) } }
        hooks.records = { [self] parameters in state.withLock { $0.records.suffix(parameters.limit ?? 100) } }
        hooks.onReload = { throw Refusal() }
        hooks.onLogLevel = { level, _ in if level != "debug" { throw Refusal() } }
        hooks.text = { "\($0)" }
        return hooks
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description = "refused"
    }

    private static func check(_ table: DecisionTable) {
        let again = require("varlink: decisions can be kept") { try DecisionTable(decoding: table.encoded()) }
        require(again == table, "varlink: \(table.entries) is kept as \(again.entries)")
    }

    private static func check(_ monitors: [PersistedMonitor]) {
        let saved = SavedMonitors(
            monitors, bootID: nil, savedAt: MachineClock.utc, monotonicTime: MachineClock.now)
        let again = require("varlink: monitors can be kept") { try SavedMonitors(saved.encoded()) }
        require(again.monitors.count == monitors.count, "varlink: as many monitors are kept as there are")
    }
}
