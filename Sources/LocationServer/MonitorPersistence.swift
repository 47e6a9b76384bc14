import LocationHub
import LocationInterface
import LocationModel
import Logging
import Varlink
import VarlinkServer

/// What persisting the monitors needs of the owner of the hub.
protocol MonitorPersistenceOwner: AnyObject {
    /// Everything that a restart should find, and the number of its version.
    func monitorsToPersist() -> (monitors: [PersistedMonitor], revision: Int)
    /// The number of the present version.
    var monitorRevision: Int { get }
    /// A restart finds that version, or never will.
    func monitorsPersisted(_ revision: Int)
    var isFinishing: Bool { get }
}

/// Persists the named monitors: one writing at a time, with everything that changed until it begins, and a rest after
/// each, so that a client that changes something without end shares one writing with everybody and leaves the disk to
/// others.
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
    /// True while a restart would find an earlier version.
    private var hasFailed = false
    /// True while a timer runs for another try.
    private var isRetryScheduled = false
    /// Calls that are answered once a version is persisted, or are not to wait for it any more.
    private var waiting: [Waiting] = []

    private let loop: ServiceLoop
    private let tasks: BackgroundTasks
    private let environment: ServerEnvironment
    private let clock: ServerClock
    private let logger: Logger
    weak var owner: (any MonitorPersistenceOwner)?

    /// How soon another try follows one that failed, seconds.
    private static let retryInterval = 30.0
    /// For how many times as long as it took a writing is rested, and for how many seconds at most.
    private static let rest = (factor: 3.0, limit: 0.5)

    init(
        loop: ServiceLoop, tasks: BackgroundTasks, environment: ServerEnvironment, clock: ServerClock, logger: Logger
    ) {
        self.loop = loop
        self.tasks = tasks
        self.environment = environment
        self.clock = clock
        self.logger = logger
    }

    var waitingCount: Int { waiting.count }

    /// The monitors have changed.
    func persist() {
        guard phase == .idle else { return isDue = true }
        guard let (monitors, revision) = owner?.monitorsToPersist() else { return }
        phase = .writing
        let (state, begin) = (environment.state, clock.now())
        tasks.run(on: environment.operations.waitingTasks) {
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
            logger.log(.monitorsNotKept, ["reason": "\(error)"])
            scheduleRetry()
        }
        // Events are sent even if their state cannot be persisted.
        owner?.monitorsPersisted(revision)
        answer { $0.revision <= revision }
        guard owner?.isFinishing == false else { return endRest() }
        let seconds = clock.now().seconds(since: begin)
        loop.schedule(after: min(max(0, seconds) * Self.rest.factor, Self.rest.limit)) { [weak self] in
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

    /// The service ends: what is not persisted is written without a rest.
    func finish() {
        if hasFailed { persist() }
        endRest()
    }

    private func scheduleRetry() {
        guard owner?.isFinishing == false, !isRetryScheduled else { return }
        isRetryScheduled = true
        loop.schedule(after: Self.retryInterval) { [weak self] in
            guard let self else { return }
            self.isRetryScheduled = false
            guard self.owner?.isFinishing == false, self.hasFailed else { return }
            self.persist()
        }
    }

    /// Answers a call that changed what is persisted, when that outlives a restart.
    ///
    /// - Parameter patience: seconds after which it is answered all the same, because the disk hangs or fails.
    func reply(
        to client: ServerClient, within patience: Double, _ answer: some Encodable = NoParameters()
    ) {
        guard let revision = owner?.monitorRevision else { return }
        waiting.append(
            Waiting(revision: revision, deadline: clock.now().advanced(bySeconds: patience)) {
                client.connection.reply(answer)
            })
        loop.schedule(after: patience + 0.001) { [weak self] in
            guard let self else { return }
            let now = self.clock.now()
            self.answer { $0.deadline <= now }
        }
    }

    private func answer(where isOver: (Waiting) -> Bool) {
        let answered = waiting.filter(isOver)
        waiting.removeAll(where: isOver)
        for waiting in answered { waiting.answer() }
    }
}
