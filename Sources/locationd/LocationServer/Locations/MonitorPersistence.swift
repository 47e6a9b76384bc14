import LocationHub
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
import Varlink

/// Persists the named monitors. One write runs at a time and contains every change made before it begins. A pause
/// follows each write, so that a client that changes something continuously shares one write with all others and leaves
/// disk time to other processes.
///
/// Ownership: everything here belongs to the event loop.
final class MonitorPersistence {
    private enum Phase { case idle, writing, resting }

    private struct Waiting {
        let revision: Int
        let deadline: BootInstant
        let answer: () -> Void
    }

    private var phase = Phase.idle
    /// True if something has changed since the last writing began.
    private var isDue = false
    /// True while the disk has an earlier version, because the last write failed.
    private var hasFailed = false
    /// True while a timer runs for a retry.
    private var isRetryScheduled = false
    /// Calls whose answer waits until a version is persisted or the wait is given up.
    private var waiting: [Waiting] = []

    private let context: ServerContext
    private weak var owner: LocationCalls?

    /// Seconds from a failed write to the next try.
    private static let retryInterval = 30.0
    /// The pause after a write: the write's duration times `factor`, at most `limit` seconds.
    private static let rest = (factor: 3.0, limit: 0.5)

    init(_ context: ServerContext, owner: LocationCalls) {
        self.context = context
        self.owner = owner
    }

    var waitingCount: Int { waiting.count }

    /// Schedules a write after the monitors have changed.
    func persist() {
        guard phase == .idle else { return isDue = true }
        guard let (monitors, revision) = owner?.hub.monitorsToPersist() else { return }
        phase = .writing
        let (state, begin) = (context.environment.state, context.now)
        context.tasks.run(on: context.environment.operations.waitingTasks) {
            try await state.persistMonitors(monitors)
        } completion: { [weak self] result in
            self?.persisted(revision, result, since: begin)
        }
    }

    private func persisted(_ revision: Int, _ result: Result<Void, any Error>, since begin: BootInstant) {
        phase = .resting
        hasFailed = false
        if case .failure(let error) = result {
            hasFailed = true
            context.logger.log(.monitorsNotPersisted, ["reason": "\(error)"])
            scheduleRetry()
        }
        // Events are sent even if their state cannot be persisted.
        if let owner { owner.perform(owner.hub.monitorsPersisted(revision)) }
        answer { $0.revision <= revision }
        guard !context.isFinishing else { return endRest() }
        let seconds = context.now.seconds(since: begin)
        context.loop.schedule(after: min(max(0, seconds) * Self.rest.factor, Self.rest.limit)) { [weak self] in
            self?.endRest()
        }
    }

    /// Begins the next writing if one is due.
    private func endRest() {
        guard phase == .resting else { return }
        phase = .idle
        guard isDue else { return }
        isDue = false
        persist()
    }

    /// Writes what is not persisted yet, without a pause, because the service ends.
    func finish() {
        if hasFailed { persist() }
        endRest()
    }

    private func scheduleRetry() {
        guard !context.isFinishing, !isRetryScheduled else { return }
        isRetryScheduled = true
        context.loop.schedule(after: Self.retryInterval) { [weak self] in
            guard let self else { return }
            self.isRetryScheduled = false
            guard !self.context.isFinishing, self.hasFailed else { return }
            self.persist()
        }
    }

    /// Answers a call that changed persisted state, once the change would survive a restart.
    ///
    /// - Parameter patience: seconds after which the call is answered in any case, because the disk hangs or fails.
    func reply(
        to client: ServerClient, within patience: Double, _ answer: some Encodable = NoParameters()
    ) {
        guard let revision = owner?.hub.monitorRevision else { return }
        waiting.append(
            Waiting(revision: revision, deadline: context.now.advanced(bySeconds: patience)) {
                client.connection.reply(answer)
            })
        context.loop.schedule(after: patience + 0.001) { [weak self] in
            guard let self else { return }
            let now = self.context.now
            self.answer { $0.deadline <= now }
        }
    }

    private func answer(where isOver: (Waiting) -> Bool) {
        let answered = waiting.filter(isOver)
        waiting.removeAll(where: isOver)
        for waiting in answered { waiting.answer() }
    }
}
