package import Authorization
import CoreMetrics
package import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
package import Logging
package import ServiceServer
@_spi(Programs) package import SystemSupport
import Varlink

/// Owns the hub: passes input from clients and sources to it, and performs the actions it returns.
///
/// Ownership: everything here belongs to one event loop. Sources reach it through the mailbox only, and the program
/// around it through ``ServerEnvironment``. Each part has one duty and one property, which is why these are many; a
/// part that calls back is made with its owner.
package final class ServerDispatcher {
    let context: ServerContext
    let descriptions: ServiceDescriptions
    package private(set) var settings: ServerSettings
    var hub: Hub

    /// The connections and what they wait for.
    var connections: Connections
    /// The sending to watches.
    private(set) lazy var delivery = WatchDelivery(context, audit: audit, owner: self)
    /// The verdicts.
    let permissions: Permissions
    /// The end of temporary decisions.
    private(set) lazy var terms = DecisionTerms(of: permissions, loop: loop, owner: self)
    /// The decisions about single processes.
    let processDecisions = ProcessDecisions()
    private(set) lazy var processAlarm = LoopAlarm(on: loop) { [weak self] in self?.endProcessDecisions() }
    /// The named monitors on the disk.
    private(set) lazy var monitorPersistence = MonitorPersistence(context, owner: self)
    /// The audit.
    private(set) lazy var audit = AuditRecorder(context, owner: self)
    /// The summary for systemd.
    private(set) lazy var reporter = SummaryReporter(context, interval: settings.summaryInterval) { [weak self] in
        self?.summary
    }
    /// What users are told of their own pending requests.
    private(set) lazy var requestFeed = RequestFeed(context, owner: self)
    /// What clients are told of the programs that receive locations.
    private(set) lazy var usageFeed = UsageFeed(context, owner: self)
    /// The questions that polkit has.
    var questions = GateQuestions()
    /// How many grants about each user wait for the account's name.
    var awaitingName: [UInt32: Int] = [:]
    /// The groups of users who are served.
    let groupLookUps: GroupLookUps
    /// The users who may call on behalf of others by the present policy.
    private(set) var usersServingOthers: Set<UInt32>
    var tokens = AdministratorTokens()
    var heapTrim = HeapTrimPolicy()
    package var counters = ServiceCounters()

    private lazy var alarm = LoopAlarm(on: loop) { [weak self] in
        guard let self else { return }
        // What is held must not be sent under a term that has ended, however late that timer is.
        self.endDueDecisions()
        self.perform(self.hub.advance(to: self.now))
    }
    private(set) var agenda = Agenda()
    private var input = SourceInput()
    package private(set) var isFinishing = false

    /// The actions of the hub that follow from those that are being performed.
    struct Agenda {
        var actions: [HubAction] = []
        var isPerforming = false
    }

    /// What comes from the sources, and what is done for it from time to time.
    private struct SourceInput {
        weak var mailbox: Mailbox?
        /// Whether satellite reports wake the loop.
        var wantsSatellites = true
        var locationPersisted: BootInstant?
        var wallClockRead: BootInstant?
        var fixLog = FixLog()
        var trueNorth = TrueNorth()
    }

    /// Seconds between two looks at the system's clock, by which receivers' dates are judged.
    private static let wallClockInterval = 10.0
    /// The least seconds between two writes of the last location.
    private static let persistenceInterval = 60.0

    package init(
        loop: ServiceLoop, settings: ServerSettings, decisions: Authority.Decisions, sessions: any LoginSessions,
        hub: consuming Hub, environment: ServerEnvironment, logger: Logger,
        instruments: ServerInstruments = ServerInstruments(),
        clock: ServiceClock = .machine
    ) {
        context = ServerContext(
            loop: loop, environment: environment, clock: clock, logger: logger, instruments: instruments)
        descriptions = ServiceDescriptions(version: settings.version)
        self.settings = settings
        self.hub = hub
        connections = Connections(settings, on: loop)
        permissions = Permissions(
            Authority(policy: settings.policy, decisions: decisions), sessions: sessions, loop: loop, clock: clock)
        usersServingOthers = settings.policy.usersServingOthers
        groupLookUps = GroupLookUps(
            loop: loop, tasks: context.tasks, operations: environment.operations, clock: clock,
            timeout: settings.lookUpTimeout)

        // What was recorded in earlier runs is read before anything else is.
        _ = audit
        terms.resume()
        reporter.scheduleReport()
        reporter.sendHeartbeats()
    }

    var loop: ServiceLoop { context.loop }
    var environment: ServerEnvironment { context.environment }
    var logger: Logger { context.logger }
    var clock: ServiceClock { context.clock }
    var tasks: BackgroundTasks { context.tasks }
    var now: BootInstant { context.now }
    var utc: UTCTime { context.utc }
    var limits: UserLimits { connections.registry.limits }

    /// Starts to watch for the end of clients' processes. Clients can be admitted from here on.
    /// - Returns: false if the system cannot create another thread.
    package func watchProcesses() -> Bool {
        let (loop, service) = (loop, loop.bind(self))
        connections.processes = ProcessWatch { number in loop.execute { service.value.processEnded(number) } }
        return connections.processes != nil
    }

    // MARK: Sources

    /// Reads the events that sources have put into the mailbox.
    package func read(_ mailbox: Mailbox) {
        guard !isFinishing else { return }
        if input.mailbox == nil { input.mailbox = mailbox }
        // A fix after the end of a term must not be sent under it, however late the timer is.
        endDueDecisions()
        // The first location that a principal receives on a day is recorded, so it must not be sent directly.
        if audit.advanceDay() { delivery.directSends.disableAll() }
        if audit.advanceUsageHour() { listUsage() }
        readWallClockIfDue()
        let contents = mailbox.empty()
        if contents.lostFixes > 0 { carryOut(hub.loseFixes(contents.lostFixes)) }
        for entry in contents.entries {
            switch entry.event {
            case .heading(let heading, let device, let time):
                let complete = SourceEvent.heading(completed(heading), device: device, at: time)
                carryOut(hub.applyEvent(complete, from: entry.rank, at: now))
            default: carryOut(hub.applyEvent(entry.event, from: entry.rank, at: now))
            }
        }
        followUp()
        if let seconds = hub.consumeTimeToFirstFix() { context.instruments.timeToFirstFix.recordSeconds(seconds) }
        persistLocationIfDue()
    }

    private func readWallClockIfDue() {
        let now = now
        if let read = input.wallClockRead, now.seconds(since: read) < Self.wallClockInterval { return }
        input.wallClockRead = now
        hub.wallClock = WallClock(
            utc: utc, at: now, isSynchronized: environment.operations.isClockSynchronized)
    }

    /// Adds the true heading to a magnetic one.
    private func completed(_ heading: Heading) -> Heading {
        let complete = input.trueNorth.complete(heading, near: hub.lastLocation, at: now, utc: utc)
        if let problem = input.trueNorth.consumeProblem() { logger.log(.trueNorthUnknown, ["reason": "\(problem)"]) }
        return complete
    }

    package func replaceSources(_ names: [String], compasses: [String] = [], lowPower: Set<String> = []) {
        // The last events of the replaced sources must not be attributed to the new ones with the same ranks.
        if let mailbox = input.mailbox { read(mailbox) }
        perform(hub.replaceSources(names, compasses: compasses, lowPower: lowPower, at: now))
    }

    private func persistLocationIfDue() {
        guard let last = hub.lastLocation else { return }
        if let persisted = input.locationPersisted,
            last.monotonicTime.seconds(since: persisted) < Self.persistenceInterval
        {
            return
        }
        input.locationPersisted = last.monotonicTime
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
        guard !agenda.isPerforming else { return agenda.actions += actions }
        agenda.isPerforming = true
        for action in actions { perform(action) }
        var next = 0
        while next < agenda.actions.count {
            perform(agenda.actions[next])
            next += 1
        }
        agenda.actions.removeAll(keepingCapacity: true)
        agenda.isPerforming = false
        input.fixLog.update(
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
        case .desireAccuracy(let accuracy): environment.sources.setDesiredAccuracy(accuracy)
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
        guard !agenda.isPerforming else { return }
        updateWantsSatellites()
        setAlarm()
        reporter.scheduleReport()
        usageFeed.schedule()
    }

    private func setAlarm() {
        guard !isFinishing, let deadline = hub.nextDeadline else { return }
        alarm.set(after: deadline.seconds(since: now))
    }

    /// Satellite reports wake the loop only while a client wants them.
    private func updateWantsSatellites() {
        let isWanted = hub.needs.sky > 0
        guard isWanted != input.wantsSatellites, let mailbox = input.mailbox else { return }
        input.wantsSatellites = isWanted
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
        for client in connections.clients.values {
            if case .authorizing = client.activity { answerAuthorization(of: client) }
            client.call.question?.withdraw()
        }
        requestFeed.finish()
        usageFeed.finish()
        isFinishing = true
        alarm.cancel()
        terms.cancel()
        processAlarm.cancel()
        reporter.end()
        permissions.end()
        connections.processes = nil
        if let last = hub.lastLocation { environment.state.persistLocation(last) }
        return connections.registry.closeAll(within: patience)
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
            audit.recordEnd(of: decision, about: subject, since: permissions.authority.verdict(about: subject))
        }
    }
}

extension ServerDispatcher: PermissionOwner {
    var hasReducedLocations: Bool { hub.reduction != nil }
    func sessionsChanged() { refreshPermissions { $0.permission.authorization == .authorizedWhenInUse } }
}

extension ServerDispatcher: DeliveryOwner {
    func watchFellBehind(_ id: WatchID) { hub.fellBehind(id) }
}

extension ServerDispatcher: AuditRecorderOwner {
    func firstLocationOfDayDelivered(to client: ServerClient) { requestFeed.noteUse(by: client) }
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
