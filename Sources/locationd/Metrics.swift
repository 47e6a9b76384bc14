import LocationInterface
import LocationModel
import LocationServer
import PrometheusMetrics
import SystemClock

/// All that the daemon tells about itself to Prometheus: what it counts anyway, read when somebody asks, and what is
/// measured as it happens.
struct Metrics: Sendable {
    /// Measured as it happens.
    let registry = PrometheusRegistry([
        ServerInstruments.eventLoopLatency: .init(
            help: "From the first unread event in the mailbox until the event loop reads it."),
        ServerInstruments.timeToFirstFix: .init(
            help: "From the demand, or new sources, to the first fix.",
            buckets: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800]),
        SourceSupervisor.readerLatency: .init(help: "From the arrival of a fix at its reader until it is posted."),
    ])

    private let startTime = MachineClock.utc

    func text(_ figures: ServiceFigures) -> String {
        let process = ProcessFigures().families(
            startTime: startTime, residentBytes: figures.statistics.residentBytes)
        return PrometheusText.text(figures.families + registry.readings + process)
    }
}
