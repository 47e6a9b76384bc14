import CoreMetrics
import LocationHub
import LocationModel
import LocationServer
import Logging
import Machine
import ServiceLifecycle

/// Runs the sources while somebody needs them, and replaces them when the configuration does.
final class SourceSupervisor: Sendable {
    private struct Plan: Sendable {
        var sources: [any LocationSource]
        /// Counts replacements.
        var generation = 0
        var isWanted = false
    }

    private let plan: Latest<Plan>
    private let logger: Logger
    private let metrics: any MetricsFactory

    /// The name of the metric.
    static let readerLatency = "locationd_reader_latency_seconds"

    init(
        sources: [any LocationSource], logger: Logger, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        plan = Latest(Plan(sources: sources))
        self.logger = logger
        self.metrics = metrics
    }

    /// Somebody needs the sources, or nobody does.
    func demand(_ isWanted: Bool) {
        plan.change { $0.isWanted = isWanted }
    }

    func replace(with sources: [any LocationSource]) {
        plan.change { plan in
            plan.sources = sources
            plan.generation += 1
        }
    }

    /// Name and counters by rank.
    var reports: [(name: String, counters: [String: Int])] {
        plan.current.value.sources.map { ($0.name, $0.counters) }
    }

    /// Follows the plan until cancelled.
    ///
    /// - Parameter replaced: told how many sources there are now, when all old ones have ended and no new one has begun:
    ///   what comes after it under a rank is the new source's.
    func run(into mailbox: Mailbox, replaced: (Int) async -> Void = { _ in }) async {
        var generation = 0
        while !Task.isCancelled {
            let (plan, version) = plan.current
            if plan.generation != generation {
                generation = plan.generation
                await replaced(plan.sources.count)
            }
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    _ = await self.plan.change(after: version)
                    return true
                }
                for (rank, source) in plan.sources.enumerated() where plan.isWanted {
                    group.addTask {
                        await self.run(source, rank: rank, into: mailbox)
                        return false
                    }
                }
                for await planChanged in group where planChanged { group.cancelAll() }
            }
        }
    }

    private func run(_ source: any LocationSource, rank: Int, into mailbox: Mailbox) async {
        let logger = logger
        let latency = Timer(label: Self.readerLatency, dimensions: [("source", source.name)], factory: metrics)
        logger.info("source started", metadata: ["source": "\(source.name)"])
        await source.run { event in
            switch event {
            case .anomaly(let kind, let total, let example):
                logger.warning(
                    "the source sent something unusable",
                    metadata: [
                        "source": "\(source.name)", "kind": "\(kind)", "total": "\(total)", "example": "\(example)",
                    ])
            case .condition(let condition):
                if let reason = condition.reason {
                    logger.notice("source", metadata: ["source": "\(source.name)", "reason": "\(reason)"])
                }
                mailbox.post(event, from: rank)
            case .fix(let location):
                mailbox.post(event, from: rank)
                latency.recordSeconds(location.age(at: MachineClock.now))
            default: mailbox.post(event, from: rank)
            }
        }
        logger.info("source stopped", metadata: ["source": "\(source.name)"])
    }
}

/// The supervisor as a service of the daemon.
struct SourceService: Service {
    let supervisor: SourceSupervisor
    let server: LocationServer

    func run() async {
        await cancelWhenGracefulShutdown {
            await supervisor.run(into: server.mailbox) { count in
                // It fails only when the event loop has ended, and then nobody is left to be told.
                try? await server.replaceSources(count: count)
            }
        }
    }
}
