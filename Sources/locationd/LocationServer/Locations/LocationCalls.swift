import LocationHub
@_spi(Programs) import LocationModel
import Logging
import ServiceServer

/// Locations, monitors and their sources: owns the hub, passes input from clients, sources and administrators to it,
/// and performs the actions it returns.
///
/// Ownership: everything here belongs to the event loop.
final class LocationCalls: ServiceCalls {
    let parts: SharedParts
    let usage: UsageCalls
    /// Set by ``ServerDispatcher``: the decisions are made after this, and each needs the other.
    weak var decisions: (any DueDecisions)?
    var hub: Hub
    /// The clients that wait for one location.
    var requesters: [RequestID: ServerClient] = [:]
    /// The sending to watches.
    private(set) lazy var delivery = WatchDelivery(context, audit: audit, usage: usage, owner: self)
    /// The named monitors on the disk.
    private(set) lazy var monitorPersistence = MonitorPersistence(context, owner: self)
    var input = SourceInput()
    private(set) var agenda = Agenda()
    private lazy var alarm = LoopAlarm(on: loop) { [weak self] in
        guard let self else { return }
        // What is held must not be sent under a term that has ended, however late that timer is.
        decisions?.endDueDecisions()
        perform(hub.advance(to: now))
    }

    /// The actions of the hub that follow from those that are being performed.
    struct Agenda {
        var actions: [HubAction] = []
        var isPerforming = false
    }

    init(_ parts: SharedParts, usage: UsageCalls, hub: consuming Hub) {
        self.parts = parts
        self.usage = usage
        self.hub = hub
    }

    // MARK: Actions of the hub

    func perform(_ actions: [HubAction]) {
        carryOut(actions)
        followUp()
    }

    /// Sending may end a connection, and with it a watch; the actions that follow from that are performed after the
    /// present ones. The caller calls ``followUp()`` once after one or more calls.
    func carryOut(_ actions: [HubAction]) {
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
            connections.disconnect(client, reason: reason)
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

    /// Updates what depends on the hub's state: satellites, the timer, the summary and the lists of usage.
    func followUp() {
        guard !agenda.isPerforming else { return }
        updateWantsSatellites()
        setAlarm()
        reporter.scheduleReport()
        usage.feed.schedule()
    }

    private func setAlarm() {
        guard !context.isFinishing, let deadline = hub.nextDeadline else { return }
        alarm.set(after: deadline.seconds(since: now))
    }

    /// Sends the backlog of a watch, for as long as its client keeps reading.
    func sendHeld(_ id: WatchID) {
        while let (update, actions) = hub.popHeld(id, at: now) {
            perform(actions)
            guard delivery.send(update, to: id), !update.isFinal else { return }
        }
        perform(hub.releaseBatch(of: id, at: now))
    }

    /// Sends every watch the reason for the end, and persists what is not on the disk.
    func finish(reason: String) {
        perform(hub.finish(reason: reason, at: now))
        monitorPersistence.finish()
        alarm.cancel()
        if let last = hub.lastLocation { environment.state.persistLocation(last) }
    }
}

extension LocationCalls: UsageOwner {
    func countSent(to client: ServerClient) {
        if case .watching(let id) = client.activity { delivery.countSent(to: client, at: id) }
    }
}
