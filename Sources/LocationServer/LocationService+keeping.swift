import LocationHub
import LocationInterface
import LocationModel
import Logging
import NIOCore
import Varlink
import VarlinkServer

/// How keeping the monitors goes: one writing at a time, with everything that changed until it begins.
struct MonitorKeeping {
    var isUnderWay = false
    var isDue = false
    /// True while a restart would find what was kept before.
    var hasFailed = false
    /// Who is answered once a version is kept, or nobody waits for it any more.
    var waiting: [(revision: Int, client: Client, deadline: BootInstant)] = []

    /// How soon what could not be kept is tried again, seconds.
    static let retryInterval = 30.0
}

extension LocationService {
    func keepMonitors() {
        guard !monitorKeeping.isUnderWay else { return monitorKeeping.isDue = true }
        monitorKeeping.isUnderWay = true
        let (monitors, revision) = hub.monitorsToKeep()
        let hooks = hooks
        future { try await hooks.keepMonitors(monitors) }.assumeIsolated().whenComplete { [weak self] result in
            self?.monitorsKept(revision, result)
        }
    }

    private func monitorsKept(_ revision: Int, _ result: Result<Void, any Error>) {
        monitorKeeping.isUnderWay = false
        monitorKeeping.hasFailed = false
        if case .failure(let error) = result {
            monitorKeeping.hasFailed = true
            logger.log(.monitorsNotKept, ["reason": "\(error)"])
            tryAgainLater()
        }
        // What cannot be kept is told all the same.
        perform(hub.monitorsKept(revision))
        answerWaiting { $0.revision <= revision }
        guard monitorKeeping.isDue else { return }
        monitorKeeping.isDue = false
        keepMonitors()
    }

    private func tryAgainLater() {
        guard !isFinishing else { return }
        let wait = TimeAmount.milliseconds(Int64(MonitorKeeping.retryInterval * 1000))
        loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
            guard let self, !self.isFinishing else { return }
            self.keepMonitors()
        }
    }

    /// Answers a call that changed what is kept, when that outlives a restart; a disk that hangs or fails is not waited
    /// for longer than an event would.
    func answerOnceKept(_ client: Client) {
        let patience = settings.hub.keepingPatience
        let deadline = now.advanced(bySeconds: patience)
        monitorKeeping.waiting.append((hub.monitorRevision, client, deadline))
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(patience * 1000) + 1)) { [weak self] in
            guard let self else { return }
            let now = self.now
            self.answerWaiting { $0.deadline <= now }
        }
    }

    private func answerWaiting(where isOver: ((revision: Int, client: Client, deadline: BootInstant)) -> Bool) {
        let answered = monitorKeeping.waiting.filter(isOver)
        monitorKeeping.waiting.removeAll(where: isOver)
        for (_, client, _) in answered { client.connection.reply(NoParameters()) }
    }
}
