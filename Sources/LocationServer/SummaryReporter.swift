import LocationHub
package import LocationModel
import NIOCore

/// How the service is doing as a whole, for who may know everything but the place.
package struct ServiceSummary: Sendable {
    package let status: ServiceStatus
    /// The present location, while there is one.
    package let location: Location?
    /// Open connections.
    package let clients: Int
}

/// For who supervises the daemon. Nothing is done, and nobody woken, while nothing happens.
extension LocationService {
    /// What comes at once is told at once: a client, its watch and the demand that follows from it.
    private static let summaryDelay = 0.2

    /// Something happened that the summary may tell.
    func noteChange() {
        guard let summary = hooks.summary, !isSummaryDue, !isFinishing else { return }
        isSummaryDue = true
        let pause = summaryTime.map { settings.summaryInterval - now.seconds(since: $0) } ?? 0
        let wait = TimeAmount.milliseconds(Int64(max(Self.summaryDelay, pause) * 1000))
        loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
            guard let self, !self.isFinishing else { return }
            self.isSummaryDue = false
            self.summaryTime = self.now
            summary(self.summary)
        }
    }

    private var summary: ServiceSummary {
        let now = now
        return ServiceSummary(
            status: hub.publicStatus(at: now), location: hub.freshLocation(at: now),
            clients: clients.count)
    }

    /// The event loop turns.
    func beat() {
        guard let heartbeat = hooks.heartbeat else { return }
        let wait = TimeAmount.milliseconds(Int64(max(0.001, heartbeat()) * 1000))
        loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in self?.beat() }
    }
}
