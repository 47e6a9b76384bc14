package import Authorization
import CoreMetrics
package import LocationHub
import LocationInterface
import LocationModel
package import Logging
package import NIOCore
import Varlink
import VarlinkServer

/// Serves the sockets: what comes from clients and sources goes into the hub, and what the hub decides is done.
///
/// Ownership: everything here belongs to one event loop. Sources reach it through the mailbox only, and the program
/// around it through ``ServerHooks``.
package final class LocationService {
    let loop: any EventLoop
    let hooks: ServerHooks
    let logger: Logger
    let instruments: ServerInstruments
    private let clock: ServerClock
    let started: BootInstant
    let description: ServiceDescription
    let adminDescription: ServiceDescription
    var settings: ServerSettings
    var authority: Authority
    let sessions: any LoginSessions
    var observation: LoginObservation?
    let units = ControlGroupTree()
    /// `nil` before ``watchProcesses()``; nobody is let in then.
    var processes: (any ProcessEnds)?
    var hub: Hub
    let limits: UserLimits
    var crowdLevel = CrowdLevel()
    var trail: AuditTrail
    var clients: [Int: Client] = [:]
    /// The watching clients by the place of their watch, for the way of each fix.
    var watchers: ContiguousArray<Client?> = []
    /// Those of them who are sent what everybody is, and are up to date, by the same places.
    var outlets = Outlets()
    /// The day of the history for which each of them is noted.
    var outletsDay = 0
    var requesters: [RequestID: Client] = [:]
    /// Those, and the few that are being refused.
    var clientsByConnection: [ObjectIdentifier: Client] = [:]
    var counters = ServiceCounters()
    private var nextNumber = 0
    let broadcast = Broadcast()
    var agenda: [HubAction] = []
    var isPerforming = false
    /// Where sources tell, and whether it rings for views of the sky.
    private weak var mailbox: Mailbox?
    private var isSkyAwaited = true
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
    private var keptLocation: BootInstant?
    /// Whether a summary is on its way, and when the last one was given.
    var isSummaryDue = false
    var summaryTime: BootInstant?
    private(set) var isFinishing = false
    /// What the log was told last.
    var logged: (state: SourceState, source: String?) = (.stopped, nil)
    /// Kept once the service ends, until the last connection is gone.
    var allGone: EventLoopPromise<Void>?
    var monitorKeeping = MonitorKeeping()
    /// Tasks beside the event loop, and who is told when there are none.
    var openTasks = 0
    var allTasksEnded: EventLoopPromise<Bool>?

    /// How often at most the last location is kept, seconds.
    private static let keepingInterval = 60.0

    package init(
        loop: any EventLoop, settings: ServerSettings, decisions: Authority.Decisions, sessions: any LoginSessions,
        hub: Hub, hooks: ServerHooks, logger: Logger, instruments: ServerInstruments = ServerInstruments(),
        clock: ServerClock = .machine
    ) {
        self.loop = loop
        authority = Authority(policy: settings.policy, decisions: decisions)
        self.sessions = sessions
        self.settings = settings
        self.hub = hub
        self.hooks = hooks
        self.logger = logger
        self.instruments = instruments
        self.clock = clock
        started = clock.now()
        limits = UserLimits(settings.userLimits, capacity: settings.clientCapacity, loop: loop)
        trail = AuditTrail(at: clock.utc())
        trail.resume(hooks.todaysHistory())
        func description(_ interfaces: [InterfaceDescription]) -> ServiceDescription {
            ServiceDescription(
                vendor: "locationd", product: "locationd", version: settings.version, url: "", interfaces: interfaces)
        }
        self.description = description([LocationInterface.description])
        adminDescription = description([LocationInterface.description, AdminInterface.description])
    }

    var now: BootInstant { clock.now() }
    var utc: UTCTime { clock.utc() }

    /// Itself, for closures that come back to the event loop from elsewhere.
    var bound: NIOLoopBound<LocationService> { NIOLoopBound(self, eventLoop: loop) }

    /// From here on clients can be let in, because their end will be noticed.
    /// - Returns: false if the system allows no further thread.
    package func watchProcesses() -> Bool {
        let (loop, service) = (loop, bound)
        processes = ProcessWatch { number in loop.execute { service.value.processEnded(number) } }
        return processes != nil
    }

    func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    /// A source has told something.
    package func read(_ mailbox: Mailbox) {
        guard !isFinishing else { return }
        if self.mailbox == nil { self.mailbox = mailbox }
        let contents = mailbox.empty()
        carryOut(hub.loseFixes(contents.lostFixes))
        for letter in contents.letters { carryOut(hub.take(letter.event, from: letter.rank, at: now)) }
        settle()
        if let seconds = hub.takeTimeToFirstFix() { instruments.timeToFirstFix.recordSeconds(seconds) }
        keepLocationIfDue()
    }

    /// The service ends: every watch is told the reason, every connection closed once it has been read.
    ///
    /// - Returns: when the last connection is gone, or the time is over.
    package func finish(reason: String, within patience: TimeAmount) -> EventLoopFuture<Void> {
        guard !isFinishing else { return loop.makeSucceededVoidFuture() }
        let gone = loop.makePromise(of: Void.self)
        perform(hub.finish(reason: reason, at: now))
        finishKeeping()
        for client in clients.values { if case .authorizing = client.activity { answerAuthorization(of: client) } }
        isFinishing = true
        alarm?.task.cancel()
        observation = nil
        processes = nil
        if let last = hub.lastLocation { hooks.keepLocation(last) }
        for client in clientsByConnection.values { client.connection.closeGracefully(within: patience) }
        allGone = gone
        if clientsByConnection.isEmpty { gone.succeed() }
        loop.scheduleTask(in: patience) { gone.succeed() }
        return gone.futureResult
    }

    /// The configuration changed; connections stay.
    func apply(_ change: (inout ServerSettings) -> Void) {
        change(&settings)
        limits.apply(settings.userLimits)
        authority.policy = settings.policy
        refreshPermissions(cause: "the policy")
        refreshKeptMonitors()
        perform(hub.apply(settings.hub, at: now))
    }

    /// Decisions that could not be read have been repaired, or the other way round.
    func replaceDecisions(_ decisions: Authority.Decisions) {
        authority.decisions = decisions
        refreshPermissions(cause: "the decisions' file")
        refreshKeptMonitors()
    }

    func replaceSources(_ names: [String]) {
        // The last words of the old ones, which have ended, are not for the new ones of their ranks.
        if let mailbox { read(mailbox) }
        perform(hub.replaceSources(names, at: now))
    }

    /// One timer for everything that waits. A deadline that moved away is not chased: the timer looks again then.
    ///
    /// Timers stand still while the machine sleeps and deadlines come nearer, so the two are compared as timers; to a
    /// millisecond, because each comparison reads both clocks anew.
    func setAlarm() {
        guard !isFinishing, let deadline = hub.nextDeadline else { return }
        let wait = TimeAmount.nanoseconds(max(0, Int64(deadline.seconds(since: now) * 1e9)))
        let time = loop.now + wait
        if let alarm, alarm.time <= time + .milliseconds(1) { return }
        alarm?.task.cancel()
        let task = loop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            guard let self else { return }
            self.alarm = nil
            self.perform(self.hub.advance(to: self.now))
        }
        alarm = (time, task)
    }

    /// Views of the sky that nobody wants are no reason to wake up.
    func awaitSky() {
        // Stored values are read one by one: what is computed of the hub costs a copy of it.
        let isAwaited = hub.needs.sky > 0
        guard isAwaited != isSkyAwaited, let mailbox else { return }
        isSkyAwaited = isAwaited
        mailbox.awaitSky(isAwaited)
    }

    private func keepLocationIfDue() {
        guard let last = hub.lastLocation else { return }
        if let keptLocation, last.monotonicTime.seconds(since: keptLocation) < Self.keepingInterval { return }
        keptLocation = last.monotonicTime
        hooks.keepLocation(last)
        perform(hub.reviewKept())
    }
}

/// What the service counted since it began.
struct ServiceCounters {
    var deliveries = 0
    var refusedConnections = 0
    var badRequests = 0
    /// Calls of those who may not know the position, by what they are.
    var authorizationRefusals: [AuthorizationStatus: Int] = [:]
}
