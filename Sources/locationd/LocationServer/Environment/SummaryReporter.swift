@_spi(Programs) package import LocationModel
import ServiceServer

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
    private let context: ServerContext
    private weak var owner: ServerDispatcher?
    private var isScheduled = false
    private var last: BootInstant?

    /// Changes that occur together are reported together: a client, its watch and the demand that follows.
    private static let delay = 0.2

    init(_ context: ServerContext) { self.context = context }

    /// Reports the first summary, and sends heartbeats from now on.
    func begin(for owner: ServerDispatcher) {
        self.owner = owner
        scheduleReport()
        sendHeartbeats()
    }

    /// Schedules a summary after something that it may contain has changed.
    func scheduleReport() {
        guard let report = context.environment.operations.summary, !isScheduled, !context.isFinishing else { return }
        isScheduled = true
        let pause = last.map { context.settings.summaryInterval - context.now.seconds(since: $0) } ?? 0
        context.loop.schedule(after: max(Self.delay, pause)) { [weak self] in
            guard let self, !context.isFinishing else { return }
            isScheduled = false
            last = context.now
            if let owner { report(owner.summary) }
        }
    }

    /// Sends the heartbeats of the event loop, repeatedly.
    private func sendHeartbeats() {
        guard let heartbeat = context.environment.operations.heartbeat else { return }
        context.loop.schedule(after: max(0.001, heartbeat())) { [weak self] in self?.sendHeartbeats() }
    }
}
