package import CoreMetrics

/// What the server measures as it happens.
package struct ServerInstruments: Sendable {
    /// The names of the metrics.
    package static let eventLoopLatency = "locationd_event_loop_latency_seconds"
    package static let timeToFirstFix = "locationd_time_to_first_fix_seconds"

    /// From the mailbox's bell until the event loop hears it.
    let eventLoopLatency: Timer
    /// From the demand, or new sources, to the first fix.
    let timeToFirstFix: Timer

    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        eventLoopLatency = Timer(label: Self.eventLoopLatency, factory: factory)
        timeToFirstFix = Timer(label: Self.timeToFirstFix, factory: factory)
    }
}
