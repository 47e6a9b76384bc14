import LocationHub
@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel
import ServiceServer

/// A snapshot of the service's counters and state.
package struct ServiceFigures: Sendable {
    package struct Fixes: Sendable, Equatable {
        package var accepted = 0
        /// Exact repeats, which were ignored.
        package var repeated = 0
        /// Held back, because they cannot be true.
        package var implausible = 0

        package init(accepted: Int = 0, repeated: Int = 0, implausible: Int = 0) {
            self.accepted = accepted
            self.repeated = repeated
            self.implausible = implausible
        }
    }

    package var statistics: Statistics
    package var isEnabled = true
    /// Seconds; `nil` before the first fix.
    package var fixAge: Double?
    /// By the name of the source, including sources without a fix.
    package var fixesBySource: [String: Fixes] = [:]
    /// Fixes that were lost on their way to the event loop.
    package var overflowedFixes = 0
    /// Calls refused for lack of permission, by authorization status.
    package var authorizationRefusals: [AuthorizationStatus: Int] = [:]
    package var badRequests = 0
    /// Messages encoded for watches and monitors; clients that receive the same content share one message.
    package var encodings = 0
    /// Violated invariants.
    package var internalErrors = 0

    package init(statistics: Statistics) {
        self.statistics = statistics
    }
}

extension ServerDispatcher {
    var figures: ServiceFigures {
        let statistics = statistics
        var figures = ServiceFigures(statistics: statistics)
        figures.isEnabled = hub.isEnabled
        figures.fixAge = hub.lastLocation?.age(at: now)
        for rank in statistics.sources.indices { figures.fixesBySource[statistics.sources[rank].name] = .init() }
        for (rank, count) in hub.counters.fixesByRank {
            figures.fixesBySource[name(of: rank, in: statistics), default: .init()].accepted += count
        }
        for (rank, count) in hub.counters.repeatsByRank {
            figures.fixesBySource[name(of: rank, in: statistics), default: .init()].repeated += count
        }
        for (rank, counts) in hub.counters.implausible {
            let count = counts.values.reduce(0, +)
            figures.fixesBySource[name(of: rank, in: statistics), default: .init()].implausible += count
        }
        figures.overflowedFixes = hub.counters.overflowed
        figures.authorizationRefusals = audit.refusals
        figures.badRequests = counters.badRequests
        figures.internalErrors =
            context.errors.count + hub.counters.internalErrors + connections.registry.limits.admission.internalErrors
        figures.encodings = delivery.encodings
        return figures
    }

    private func name(of rank: Int, in statistics: Statistics) -> String {
        statistics.sources.indices.contains(rank) ? statistics.sources[rank].name : "simulate"
    }
}
