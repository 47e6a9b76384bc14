import AdministrationInterface
package import Authorization
import CoreMetrics
package import LocationHub
import LocationInterface
import LocationModel
package import Logging
package import SystemClock
import Varlink
package import VarlinkServer

/// Owns the hub: passes input from clients and sources to it, and performs the actions it returns.
///
/// Ownership: everything here belongs to one event loop. Sources reach it through the mailbox only, and the program
/// around it through ``ServerEnvironment``. Each part has one duty: `registry` the connections, `delivery` the sending
/// to watches, `permissions` the verdicts, `terms` the end of temporary decisions, `monitorPersistence` the named monitors on the disk, `history` the audit,
/// `reporter` the summary for systemd, `groupLookUps` the groups of users who are served, `tasks` the work off the event loop.
package final class ServerDispatcher {
    let loop: ServiceLoop
    let environment: ServerEnvironment
    let logger: Logger
    let clock: ServiceClock
    let started: BootInstant
    let description: ServiceDescription
    let adminDescription: ServiceDescription
    package private(set) var settings: ServerSettings
    var hub: Hub

    let registry: ClientRegistry<ServerClient>
    /// Admitted clients, by the number that administrators see.
    var clients: [Int: ServerClient] = [:]
    var requesters: [RequestID: ServerClient] = [:]
    let delivery: WatchDelivery
    let permissions: PermissionService
    let terms: DecisionTerms
    let monitorPersistence: MonitorPersistence
    let history: HistoryRecorder
    let reporter: SummaryReporter
    let tasks: BackgroundTasks
    let groupLookUps: GroupLookUps
    var tokens = AdministratorTokens()
    let errors: InternalErrors
    let units = ControlGroupTree()
    /// The users who may call on behalf of others by the present policy.
    private(set) var usersServingOthers: Set<UInt32>
    /// `nil` before ``watchProcesses()``; until then no connection is admitted.
    var processes: (any ProcessEnds)?
    var heapTrim = HeapTrimPolicy()
    package var counters = ServiceCounters()
    /// Of clients that have left.
    var receiverShares = ReceiverShares()

    private let instruments: ServerInstruments
    private let alarm: LoopAlarm
    private var lastNumber = 0
    /// Actions of the hub that follow from those that are being performed.
    private(set) var agenda: [HubAction] = []
    private var isPerforming = false
    /// The mailbox of the sources, and whether satellite reports wake the loop.
    private weak var mailbox: Mailbox?
    private var wantsSatellites = true
    private var locationPersisted: BootInstant?
    private var fixLog = FixLog()
    private var wallClockRead: BootInstant?
    private var trueNorth = TrueNorth()
    package private(set) var isFinishing = false

    /// Seconds between two looks at the system's clock, by which receivers' dates are judged.
    private static let wallClockInterval = 10.0
    /// The least seconds between two writes of the last location.
    private static let persistenceInterval = 60.0

    package init(
        loop: ServiceLoop, settings: ServerSettings, decisions: Authority.Decisions, sessions: any LoginSessions,
        hub: Hub, environment: ServerEnvironment, logger: Logger, instruments: ServerInstruments = ServerInstruments(),
        clock: ServiceClock = .machine
    ) {
        self.loop = loop
        self.settings = settings
        usersServingOthers = settings.policy.usersServingOthers
        self.hub = hub
        self.environment = environment
        self.logger = logger
        self.instruments = instruments
        self.clock = clock
        started = clock.now()
        registry = ClientRegistry(
            UserLimits(settings.userLimits, capacity: settings.clientCapacity, loop: loop), on: loop)
        permissions = PermissionService(
            Authority(policy: settings.policy, decisions: decisions), sessions: sessions, loop: loop, clock: clock)
        terms = DecisionTerms(of: permissions, loop: loop)
        history = HistoryRecorder(state: environment.state, clock: clock)
        errors = InternalErrors(logger: logger)
        delivery = WatchDelivery(history: history, clock: clock, errors: errors)
        tasks = BackgroundTasks(on: loop)
        groupLookUps = GroupLookUps(
            loop: loop, tasks: tasks, operations: environment.operations, clock: clock,
            timeout: settings.lookUpTimeout)
        monitorPersistence = MonitorPersistence(
            loop: loop, tasks: tasks, environment: environment, clock: clock, logger: logger)
        reporter = SummaryReporter(
            loop: loop, operations: environment.operations, clock: clock, interval: settings.summaryInterval)
        alarm = LoopAlarm(on: loop)
        func description(_ interfaces: [InterfaceDescription]) -> ServiceDescription {
            ServiceDescription(
                vendor: "locationd", product: "locationd", version: settings.version, url: "", interfaces: interfaces)
        }
        self.description = description([LocationInterface.description])
        adminDescription = description([LocationInterface.description, AdminInterface.description])

        delivery.owner = self
        terms.owner = self
        monitorPersistence.owner = self
        alarm.ring = { [weak self] in
            guard let self else { return }
            // What is held must not be sent under a term that has ended, however late that timer is.
            self.terms.endIfDue()
            self.perform(self.hub.advance(to: self.now))
        }
        permissions.hasReducedLocations = { [weak self] in self?.hub.reduction != nil }
        permissions.sessionsChanged = { [weak self] in
            self?.refreshPermissions { $0.permission.authorization == .authorizedWhenInUse }
        }
        reporter.summary = { [weak self] in self?.summary }
        terms.resume()
        reporter.scheduleReport()
        reporter.beat()
    }

    var now: BootInstant { clock.now() }
    var utc: UTCTime { clock.utc() }
    var limits: UserLimits { registry.limits }

    /// Starts to watch for the end of clients' processes. Clients can be admitted from here on.
    /// - Returns: false if the system cannot create another thread.
    package func watchProcesses() -> Bool {
        let (loop, service) = (loop, loop.bind(self))
        processes = ProcessWatch { number in loop.execute { service.value.processEnded(number) } }
        return processes != nil
    }

    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Sources

    /// Reads the events that sources have put into the mailbox.
    package func read(_ mailbox: Mailbox) {
        guard !isFinishing else { return }
        if self.mailbox == nil { self.mailbox = mailbox }
        // A fix after the end of a term must not be sent under it, however late the timer is.
        terms.endIfDue()
        // The first location that a principal receives on a day is recorded, so it must not be sent directly.
        if history.advanceDay() { delivery.directSends.disableAll() }
        readWallClockIfDue()
        let contents = mailbox.empty()
        carryOut(hub.loseFixes(contents.lostFixes))
        for entry in contents.entries {
            switch entry.event {
            case .heading(let heading, let device, let time):
                let complete = SourceEvent.heading(completed(heading), device: device, at: time)
                carryOut(hub.applyEvent(complete, from: entry.rank, at: now))
            default: carryOut(hub.applyEvent(entry.event, from: entry.rank, at: now))
            }
        }
        followUp()
        if let seconds = hub.consumeTimeToFirstFix() { instruments.timeToFirstFix.recordSeconds(seconds) }
        persistLocationIfDue()
    }

    private func readWallClockIfDue() {
        let now = now
        if let wallClockRead, now.seconds(since: wallClockRead) < Self.wallClockInterval { return }
        wallClockRead = now
        hub.wallClock = WallClock(
            utc: utc, at: now, isSynchronized: environment.operations.isClockSynchronized)
    }

    /// Adds the true heading to a magnetic one.
    private func completed(_ heading: Heading) -> Heading {
        let complete = trueNorth.complete(heading, near: hub.lastLocation, at: now, utc: utc)
        if let problem = trueNorth.consumeProblem() { logger.log(.trueNorthUnknown, ["reason": "\(problem)"]) }
        return complete
    }

    package func replaceSources(_ names: [String], compasses: [String] = []) {
        // The last events of the replaced sources must not be attributed to the new ones with the same ranks.
        if let mailbox { read(mailbox) }
        perform(hub.replaceSources(names, compasses: compasses, at: now))
    }

    private func persistLocationIfDue() {
        guard let last = hub.lastLocation else { return }
        if let locationPersisted, last.monotonicTime.seconds(since: locationPersisted) < Self.persistenceInterval {
            return
        }
        locationPersisted = last.monotonicTime
        environment.state.persistLocation(last)
        perform(hub.reviewMonitors())
    }

    // MARK: Configuration

    /// Applies a change of the configuration; connections stay.
    package func apply(_ change: (inout ServerSettings) -> Void) {
        change(&settings)
        limits.apply(settings.userLimits)
        permissions.authority.policy = settings.policy
        usersServingOthers = settings.policy.usersServingOthers
        refreshServing()
        refreshPermissions(cause: "the policy")
        refreshNamedMonitors()
        perform(hub.apply(settings.hub, at: now))
    }

    /// Applies decisions that were read again: the file has become readable, or unreadable.
    package func replaceDecisions(_ decisions: Authority.Decisions) {
        permissions.authority.decisions = decisions
        terms.resume()
        refreshPermissions(cause: "the decisions' file")
        refreshNamedMonitors()
    }

    // MARK: Actions of the hub

    func perform(_ actions: [HubAction]) {
        carryOut(actions)
        followUp()
    }

    /// Sending may end a connection, and with it a watch; the actions that follow from that are performed after the
    /// present ones. The caller calls ``followUp()`` once after one or more calls.
    private func carryOut(_ actions: [HubAction]) {
        guard !isPerforming else { return agenda += actions }
        isPerforming = true
        for action in actions { perform(action) }
        var next = 0
        while next < agenda.count {
            perform(agenda[next])
            next += 1
        }
        agenda.removeAll(keepingCapacity: true)
        isPerforming = false
        // Stored values of the hub are read one by one: to pass the hub costs a copy of it.
        fixLog.update(
            hub.announced.state, source: hub.lastLocation?.source,
            reason: hub.status(for: Permission(.authorizedAlways), at: now).reason, logger: logger)
    }

    private func perform(_ action: HubAction) {
        switch action {
        case .sendLocation(let location, let ids): delivery.send(location, to: ids)
        case .sendBatch(let batch, let ids): delivery.send(batch, to: ids)
        case .sendStatus(let status, let ids): delivery.send(status, to: ids)
        case .sendSatellites(let satellites, let ids): delivery.send(satellites, to: ids)
        case .sendHeading(let heading, let time, let ids): delivery.send(heading, measured: time, to: ids)
        case .reply(let id, let update): delivery.send(update, to: id)
        case .catchUp(let id):
            if let client = delivery.watcher(id), !client.connection.isBehind { sendHeld(id) }
        case .endMonitor(let id, let name): endMonitor(id, name: name)
        case .monitorDisplaced(let key):
            logger.log(
                .monitorDisplaced, ["principal": "uid:\(key.owner)", "name": "\(key.name.escapingUnprintable())"])
        case .persistMonitors: monitorPersistence.persist()
        case .monitorPersistenceTimedOut:
            logger.log(.monitorsNotPersisted, ["reason": "the disk did not respond in time"])
        case .disconnect(let id, let reason):
            guard let client = delivery.watcher(id) else { return }
            disconnect(client, reason: reason)
        case .answer(let id, let answer): self.answer(id, answer)
        case .demand(let count):
            logger.debug("demand changed", metadata: ["sources": "\(count)"])
            environment.sources.run(count)
        case .switchSources(let off): environment.sources.setSwitchedOff(off)
        case .readBattery: readBattery()
        case .demandCompasses(let isWanted):
            logger.debug("demand for headings changed", metadata: ["isWanted": "\(isWanted)"])
            environment.sources.runCompasses(isWanted)
        case .reserveSequences(let end): environment.state.reserveSequences(upTo: end)
        case .persistReduction: if let reduction = hub.reduction { environment.state.persistReduction(reduction) }
        }
    }

    /// Updates what depends on the hub's state: satellites, the timer and the summary.
    private func followUp() {
        guard !isPerforming else { return }
        updateWantsSatellites()
        setAlarm()
        reporter.scheduleReport()
    }

    private func setAlarm() {
        guard !isFinishing, let deadline = Self.nextDeadline(of: &hub) else { return }
        alarm.set(after: deadline.seconds(since: now))
    }

    /// As an argument that may be changed, the hub is not copied for its computed property.
    private static func nextDeadline(of hub: inout Hub) -> BootInstant? { hub.nextDeadline }

    /// Satellite reports wake the loop only while a client wants them.
    private func updateWantsSatellites() {
        // Read the stored property: a computed property of the hub costs a copy of it.
        let isWanted = hub.needs.sky > 0
        guard isWanted != wantsSatellites, let mailbox else { return }
        wantsSatellites = isWanted
        mailbox.setNeedsSatellites(isWanted)
    }

    /// Sends the backlog of a watch, for as long as its client keeps reading.
    func sendHeld(_ id: WatchID) {
        while let (update, actions) = hub.popHeld(id, at: now) {
            perform(actions)
            guard delivery.send(update, to: id), !update.isFinal else { return }
        }
        perform(hub.releaseBatch(of: id, at: now))
    }

    // MARK: The end

    /// Ends the service: sends every watch the reason, and closes each connection once its client has read everything.
    ///
    /// - Returns: a signal for when the last connection is closed, or when `patience` seconds are over.
    package func finish(reason: String, within patience: Double) -> LoopSignal<Void> {
        guard !isFinishing else {
            let gone = loop.signal(of: Void.self)
            gone.send(())
            return gone
        }
        perform(hub.finish(reason: reason, at: now))
        monitorPersistence.finish()
        for client in clients.values { if case .authorizing = client.activity { answerAuthorization(of: client) } }
        isFinishing = true
        alarm.cancel()
        terms.cancel()
        reporter.end()
        permissions.end()
        processes = nil
        if let last = hub.lastLocation { environment.state.persistLocation(last) }
        return registry.closeAll(within: patience)
    }
}

extension ServerDispatcher: DecisionTermsOwner {
    func termsEnded(_ ended: [(subject: Subject, decision: Decision)], persisting table: DecisionTable) {
        environment.state.persistDecisionsSoon(table)
        guard !ended.isEmpty else { return }
        let subjects = Set(ended.map(\.subject))
        refreshPermissions { client in subjects.contains { client.principal.isConcerned(by: $0) } }
        refreshNamedMonitors()
        for (subject, decision) in ended {
            history.recordEnd(of: decision, about: subject, since: permissions.authority.verdict(about: subject))
        }
    }
}

extension ServerDispatcher: DeliveryOwner {
    func watchFellBehind(_ id: WatchID) { hub.fellBehind(id) }
}

extension ServerDispatcher: MonitorPersistenceOwner {
    func monitorsToPersist() -> (monitors: [PersistedMonitor], revision: Int) { hub.monitorsToPersist() }
    var monitorRevision: Int { hub.monitorRevision }
    func monitorsPersisted(_ revision: Int) { perform(hub.monitorsPersisted(revision)) }
}

/// What the service has counted since it started.
package struct ServiceCounters {
    package var refusedConnections = 0
    var badRequests = 0
}
