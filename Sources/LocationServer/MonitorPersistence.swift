import LocationHub
import LocationInterface
import LocationModel
import Logging
import NIOCore
import Varlink
import VarlinkServer

/// How keeping the monitors goes: one writing at a time, with everything that changed until it begins, and a rest after
/// each, so that who changes something without end shares one writing with everybody and leaves the disk to others.
struct MonitorKeeping {
    enum Phase { case idle, writing, resting }

    struct Waiting {
        let revision: Int
        let deadline: BootInstant
        let answer: () -> Void
    }

    var phase = Phase.idle
    /// True if something has changed since the last writing began.
    var isDue = false
    /// True while a restart would find what was kept before.
    var hasFailed = false
    /// True while a timer runs for another try.
    var isToBeTried = false
    /// Who is answered once a version is kept, or nobody waits for it any more.
    var waiting: [Waiting] = []

    /// How soon what could not be kept is tried again, seconds.
    static let retryInterval = 30.0
    /// For how many times as long as it took a writing is rested, and for how many seconds at most.
    static let rest = (factor: 3.0, limit: 0.5)
}

extension LocationService {
    func keepMonitors() {
        guard monitorKeeping.phase == .idle else { return monitorKeeping.isDue = true }
        monitorKeeping.phase = .writing
        let (monitors, revision) = hub.monitorsToKeep()
        let (hooks, begin) = (hooks, now)
        future { try await hooks.keepMonitors(monitors) }.assumeIsolated().whenComplete { [weak self] result in
            self?.monitorsKept(revision, result, seconds: self?.now.seconds(since: begin) ?? 0)
        }
    }

    private func monitorsKept(_ revision: Int, _ result: Result<Void, any Error>, seconds: Double) {
        monitorKeeping.phase = .resting
        monitorKeeping.hasFailed = false
        if case .failure(let error) = result {
            monitorKeeping.hasFailed = true
            logger.log(.monitorsNotKept, ["reason": "\(error)"])
            tryAgainLater()
        }
        // What cannot be kept is told all the same.
        perform(hub.monitorsKept(revision))
        answerWaiting { $0.revision <= revision }
        guard !isFinishing else { return endRest() }
        let rest = min(max(0, seconds) * MonitorKeeping.rest.factor, MonitorKeeping.rest.limit)
        loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(rest * 1e9))) { [weak self] in self?.endRest() }
    }

    /// Begins the next writing if one is due.
    private func endRest() {
        guard monitorKeeping.phase == .resting else { return }
        monitorKeeping.phase = .idle
        guard monitorKeeping.isDue else { return }
        monitorKeeping.isDue = false
        keepMonitors()
    }

    /// The service ends: what is not kept is written without a rest.
    func finishKeeping() {
        if monitorKeeping.hasFailed { keepMonitors() }
        endRest()
    }

    private func tryAgainLater() {
        guard !isFinishing, !monitorKeeping.isToBeTried else { return }
        monitorKeeping.isToBeTried = true
        let wait = TimeAmount.milliseconds(Int64(MonitorKeeping.retryInterval * 1000))
        loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
            guard let self else { return }
            self.monitorKeeping.isToBeTried = false
            guard !self.isFinishing, self.monitorKeeping.hasFailed else { return }
            self.keepMonitors()
        }
    }

    /// Answers a call that changed what is kept, when that outlives a restart; a disk that hangs or fails is not waited
    /// for longer than an event would.
    func answerOnceKept(_ client: Client, _ answer: some Encodable = NoParameters()) {
        let patience = settings.hub.keepingPatience
        monitorKeeping.waiting.append(
            .init(revision: hub.monitorRevision, deadline: now.advanced(bySeconds: patience)) {
                client.connection.reply(answer)
            })
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(patience * 1000) + 1)) { [weak self] in
            guard let self else { return }
            let now = self.now
            self.answerWaiting { $0.deadline <= now }
        }
    }

    private func answerWaiting(where isOver: (MonitorKeeping.Waiting) -> Bool) {
        let answered = monitorKeeping.waiting.filter(isOver)
        monitorKeeping.waiting.removeAll(where: isOver)
        for waiting in answered { waiting.answer() }
    }
}
