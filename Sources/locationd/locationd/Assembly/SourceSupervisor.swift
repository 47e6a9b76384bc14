import CoreMetrics
import LocationHub
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
@_spi(Programs) import SystemSupport

/// Runs as many of the ranked sources as there is demand for, and replaces them when the configuration changes.
final class SourceSupervisor: Sendable {
    private struct Plan: Sendable {
        var sources: [any LocationSource]
        /// The number of replacements.
        var generation = 0
        /// Sources of locations with ranks below this are to run.
        private(set) var wanted = 0
        /// The names of the sources that do not run, whatever their rank.
        private(set) var off: Set<String>
        /// Whether the compasses, which follow them, are to run.
        private(set) var wantsCompasses = false
        /// How many times each rank has been started.
        private var runCounts: [Int: Int] = [:]
        /// How many times the compasses have been started.
        private var compassRuns = 0

        /// - Parameters:
        ///   - sources: those of locations by rank, then the compasses.
        ///   - off: the names of those that do not run, whatever their rank.
        init(sources: [any LocationSource], off: Set<String>) {
            self.sources = sources
            self.off = off
        }

        /// The number of sources of locations.
        var locatingCount: Int { sources.firstIndex { $0.isCompass } ?? sources.count }

        mutating func want(_ count: Int) {
            for rank in wanted..<max(wanted, count) { runCounts[rank, default: 0] += 1 }
            wanted = count
        }

        /// A source that is switched on begins another run, even if its end was not noticed.
        mutating func switchOff(_ names: Set<String>) {
            for (rank, source) in sources.enumerated() where off.contains(source.name) && !names.contains(source.name) {
                runCounts[rank, default: 0] += 1
            }
            off = names
        }

        mutating func wantCompasses(_ isWanted: Bool) {
            if isWanted, !wantsCompasses { compassRuns += 1 }
            wantsCompasses = isWanted
        }

        /// The number of a source's present run; `nil` if it is to stop, or was replaced.
        func runNumber(of rank: Int, of generation: Int) -> Int? {
            guard generation == self.generation, !off.contains(sources[rank].name) else { return nil }
            guard rank < locatingCount else {
                return wantsCompasses ? compassRuns + runCounts[rank, default: 0] : nil
            }
            return rank < wanted ? runCounts[rank] : nil
        }
    }

    private let plan: Latest<Plan>
    /// Metres that suffice for all who want locations; `nil` for the best.
    private let desiredAccuracy = Mutex<Double?>(nil)
    /// How many sources run.
    private let running = Latest(0)
    private let logger: Logger
    private let metrics: any MetricsFactory

    /// The metric's name.
    static let readerLatency = "locationd_reader_latency_seconds"

    init(
        sources: [any LocationSource], switchedOff: Set<String> = [], logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        plan = Latest(Plan(sources: sources, off: switchedOff))
        self.logger = logger
        self.metrics = metrics
    }

    /// The first `count` sources by rank are to run from now on.
    func demand(_ count: Int) {
        plan.change { $0.want(count) }
    }

    /// The sources of these names do not run, whatever their rank.
    func setSwitchedOff(_ names: Set<String>) {
        plan.change { $0.switchOff(names) }
    }

    /// How many metres suffice for all who want locations; `nil` for the best.
    func setDesiredAccuracy(_ accuracy: Double?) {
        let sources = plan.current.value.sources
        desiredAccuracy.withLock { desired in
            desired = accuracy
            for source in sources { source.setDesiredAccuracy(accuracy) }
        }
    }

    /// Returns when no source runs.
    func awaitStop() async {
        while !Task.isCancelled {
            let (count, version) = running.current
            if count == 0 { return }
            _ = await running.change(after: version)
        }
    }

    /// The compasses are to run from now on, or to stop.
    func demandCompasses(_ isWanted: Bool) {
        plan.change { $0.wantCompasses(isWanted) }
    }

    /// - Parameter sources: those of locations by rank, then the compasses.
    func replace(with sources: [any LocationSource]) {
        plan.change { plan in
            plan.sources = sources
            plan.generation += 1
        }
    }

    /// Name, configured receiver and counters of each source, by rank.
    var reports: [(name: String, device: String?, counters: [String: Int])] {
        plan.current.value.sources.map { ($0.name, $0.device, $0.counters) }
    }

    /// Starts and stops sources by the plan until cancelled.
    ///
    /// - Parameter replaced: called with the names of the sources of locations by rank, of the compasses, and of those
    ///   that cost hardly any power, when all old ones have ended and no new one has started: later events under a rank
    ///   come from the new source.
    func run(
        into mailbox: Mailbox,
        replaced: (_ locating: [String], _ compasses: [String], _ lowPower: Set<String>) async -> Void = { _, _, _ in }
    ) async {
        var generation = 0
        while !Task.isCancelled {
            let plan = plan.current.value
            if plan.generation != generation {
                generation = plan.generation
                let names = plan.sources.map(\.name)
                await replaced(
                    Array(names.prefix(plan.locatingCount)), Array(names.dropFirst(plan.locatingCount)),
                    Set(plan.sources.filter(\.isLowPower).map(\.name)))
            }
            await withTaskGroup { group in
                for (rank, source) in plan.sources.enumerated() {
                    group.addTask { await self.follow(source, rank: rank, of: plan.generation, into: mailbox) }
                }
                // Without sources the group still has to wait for a new plan.
                group.addTask { await self.awaitPlan { $0.generation != plan.generation } }
            }
        }
    }

    /// Runs one source whenever it is in demand, until it is replaced or the task is cancelled, independently of the
    /// others.
    private func follow(_ source: any LocationSource, rank: Int, of generation: Int, into mailbox: Mailbox) async {
        var last: Int?
        while true {
            let plan = await awaitPlan { plan in
                let runNumber = plan.runNumber(of: rank, of: generation)
                return plan.generation != generation || runNumber != nil && runNumber != last
            }
            guard let runNumber = plan?.runNumber(of: rank, of: generation) else { return }
            last = runNumber
            await withTaskGroup { group in
                group.addTask { await self.run(source, rank: rank, into: mailbox) }
                await awaitPlan { $0.runNumber(of: rank, of: generation) != runNumber }
                group.cancelAll()
            }
        }
    }

    /// Waits for a plan that satisfies the condition.
    /// - Returns: the plan; `nil` if the task is cancelled.
    @discardableResult
    private func awaitPlan(_ isSo: (Plan) -> Bool) async -> Plan? {
        while !Task.isCancelled {
            let (plan, version) = plan.current
            if isSo(plan) { return plan }
            _ = await self.plan.change(after: version)
        }
        return nil
    }

    private func run(_ source: any LocationSource, rank: Int, into mailbox: Mailbox) async {
        let logger = logger
        let latency = Timer(label: Self.readerLatency, dimensions: [("source", source.name)], factory: metrics)
        logger.log(.sourceStarted, ["source": "\(source.name)"])
        running.change { $0 += 1 }
        defer { running.change { $0 -= 1 } }
        // One that has come since. Under the lock, so that no later accuracy is overtaken.
        desiredAccuracy.withLock { source.setDesiredAccuracy($0) }
        let isTroubled = Mutex(false)
        await source.run {
            mailbox.needsSatellites
        } deliver: { event in
            switch event {
            case .anomaly(let kind, let total, let example):
                logger.log(
                    .sourceUnusable,
                    ["source": "\(source.name)", "kind": "\(kind)", "total": "\(total)", "example": "\(example)"])
            case .condition(let condition):
                let isNew = isTroubled.withLock { isTroubled in
                    defer { isTroubled = condition.reason != nil }
                    return isTroubled || condition.reason != nil
                }
                condition.log(to: logger, source: source.name, isNew: isNew)
                mailbox.post(event, from: rank)
            case .fix(let location):
                mailbox.post(event, from: rank)
                latency.recordSeconds(location.age(at: MachineClock.now))
            case .position(_, let arrived):
                mailbox.post(event, from: rank)
                latency.recordSeconds(MachineClock.now.seconds(since: arrived))
            default: mailbox.post(event, from: rank)
            }
        }
        logger.log(.sourceStopped, ["source": "\(source.name)"])
    }
}

/// The supervisor as a service of the daemon.
struct SourceService: Service {
    let supervisor: SourceSupervisor
    let server: LocationServer

    func run() async {
        await cancelWhenGracefulShutdown {
            await supervisor.run(into: server.mailbox) { names, compasses, lowPower in
                // It fails only when the event loop has ended, and then there is nothing to update.
                try? await server.replaceSources(names, compasses: compasses, lowPower: lowPower)
            }
        }
    }
}
