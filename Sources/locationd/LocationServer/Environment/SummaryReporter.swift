import LocationHub
@_spi(Programs) package import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport

/// A summary of the service without the position, for systemd's status line.
package struct ServiceSummary: Sendable {
    package let status: ServiceStatus
    /// The present location, if there is one; its quality is reported, never its position.
    package let location: Location?
    /// Open connections.
    package let clients: Int
    /// Requests for authorization that wait for an administrator's decision.
    package var waitingRequests = 0

    package init(status: ServiceStatus, location: Location?, clients: Int, waitingRequests: Int = 0) {
        (self.status, self.location, self.clients) = (status, location, clients)
        self.waitingRequests = waitingRequests
    }
}

/// Reports summaries to the supervisor of the daemon. It does no work and runs no timer while nothing changes.
///
/// Ownership: everything here belongs to the event loop.
final class SummaryReporter {
    private let loop: ServiceLoop
    private let report: (@Sendable (ServiceSummary) -> Void)?
    private let heartbeat: (@Sendable () -> Double)?
    private let clock: ServiceClock
    /// The least seconds between two summaries.
    private let interval: Double
    private var isScheduled = false
    private var isEnded = false
    private var last: BootInstant?
    private let summary: () -> ServiceSummary?

    /// Changes that occur together are reported together: a client, its watch and the demand that follows.
    private static let delay = 0.2

    /// - Parameter summary: makes the summary.
    init(_ context: ServerContext, interval: Double, summary: @escaping () -> ServiceSummary?) {
        loop = context.loop
        report = context.environment.operations.summary
        heartbeat = context.environment.operations.heartbeat
        clock = context.clock
        self.interval = interval
        self.summary = summary
    }

    /// Schedules a summary after something that it may contain has changed.
    func scheduleReport() {
        guard let report, !isScheduled, !isEnded else { return }
        isScheduled = true
        let pause = last.map { interval - clock.now().seconds(since: $0) } ?? 0
        loop.schedule(after: max(Self.delay, pause)) { [weak self] in
            guard let self, !self.isEnded else { return }
            self.isScheduled = false
            self.last = self.clock.now()
            if let summary = self.summary() { report(summary) }
        }
    }

    /// Sends the heartbeats of the event loop, repeatedly.
    func sendHeartbeats() {
        guard let heartbeat else { return }
        loop.schedule(after: max(0.001, heartbeat())) { [weak self] in self?.sendHeartbeats() }
    }

    func end() { isEnded = true }
}
