import LocationHub
import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization

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

    init(sources: [any LocationSource], logger: Logger) {
        plan = Latest(Plan(sources: sources))
        self.logger = logger
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
        logger.log(.sourceStarted, ["source": "\(source.name)"])
        let isTroubled = Mutex(false)
        await source.run { event in
            switch event {
            case .anomaly(let kind, let total, let example):
                logger.log(
                    .sourceUnusable,
                    ["source": "\(source.name)", "kind": "\(kind)", "total": "\(total)", "example": "\(example)"])
            case .condition(let condition):
                let isNews = isTroubled.withLock { isTroubled in
                    defer { isTroubled = condition.reason != nil }
                    return isTroubled || condition.reason != nil
                }
                condition.log(to: logger, source: source.name, isNews: isNews)
                mailbox.post(event, from: rank)
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
            await supervisor.run(into: server.mailbox) { count in
                // It fails only when the event loop has ended, and then nobody is left to be told.
                try? await server.replaceSources(count: count)
            }
        }
    }
}
