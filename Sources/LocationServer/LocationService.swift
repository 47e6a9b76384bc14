import Authorization
import CLinux
package import LocationHub
import LocationInterface
import LocationModel
package import Logging
package import NIOCore
import Varlink

/// Serves the sockets: what comes from clients and sources goes into the hub, and what the hub decides is done.
///
/// Ownership: everything here belongs to one event loop. Sources reach it through the mailbox only, and the program
/// around it through ``ServerHooks``.
package final class LocationService {
    let loop: any EventLoop
    let hooks: ServerHooks
    let logger: Logger
    let started: BootInstant
    let description: ServiceDescription
    let adminDescription: ServiceDescription
    var settings: ServerSettings
    var hub: Hub
    var admission: Admission
    var clients: [Int: Client] = [:]
    /// The watching clients by the place of their watch, for the way of each fix.
    var watchers: ContiguousArray<Client?> = []
    var requesters: [RequestID: Client] = [:]
    /// Those, and the few that are being refused.
    var clientsByConnection: [ObjectIdentifier: Client] = [:]
    var counters = ServiceCounters()
    private var nextNumber = 0
    private let broadcast = Broadcast()
    private var agenda: [HubAction] = []
    private var isPerforming = false
    private var alarm: (time: BootInstant, task: Scheduled<Void>)?
    private var keptLocation: BootInstant?
    private(set) var isFinishing = false
    /// Kept once the service ends, until the last connection is gone.
    var allGone: EventLoopPromise<Void>?

    /// How often at most the last location is kept, seconds.
    private static let keepingInterval = 60.0

    package init(loop: any EventLoop, settings: ServerSettings, hub: Hub, hooks: ServerHooks, logger: Logger) {
        self.loop = loop
        self.settings = settings
        self.hub = hub
        self.hooks = hooks
        self.logger = logger
        started = BootInstant(nanoseconds: clinux_boot_nanoseconds())
        admission = Admission(limit: settings.clientLimit, limitPerUser: settings.clientLimitPerUser)
        func description(_ interfaces: [InterfaceDescription]) -> ServiceDescription {
            ServiceDescription(
                vendor: "locationd", product: "locationd", version: settings.version,
                url: "", interfaces: interfaces)
        }
        self.description = description([LocationInterface.description])
        adminDescription = description([LocationInterface.description, AdminInterface.description])
    }

    var now: BootInstant { BootInstant(nanoseconds: clinux_boot_nanoseconds()) }

    func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    /// A source has told something.
    package func read(_ mailbox: Mailbox) {
        guard !isFinishing else { return }
        let contents = mailbox.empty()
        perform(hub.loseFixes(contents.lostFixes))
        for letter in contents.letters { perform(hub.take(letter.event, from: letter.rank, at: now)) }
        keepLocationIfDue()
    }

    /// The service ends: every watch is told the reason, every connection closed once it has been read.
    ///
    /// - Returns: when the last connection is gone, or the time is over.
    package func finish(reason: String, within patience: TimeAmount) -> EventLoopFuture<Void> {
        guard !isFinishing else { return loop.makeSucceededVoidFuture() }
        let gone = loop.makePromise(of: Void.self)
        perform(hub.finish(reason: reason, at: now))
        isFinishing = true
        alarm?.task.cancel()
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
        admission.limit = settings.clientLimit
        admission.limitPerUser = settings.clientLimitPerUser
        perform(hub.apply(settings.hub, at: now))
    }

    func replaceSources(count: Int) {
        perform(hub.replaceSources(count: count, at: now))
    }

    // MARK: Doing what the hub decides

    /// Sending may end a connection, and with it a watch, whose actions come after those at hand.
    func perform(_ actions: [HubAction]) {
        agenda += actions
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < agenda.count {
            perform(agenda[next])
            next += 1
        }
        agenda.removeAll(keepingCapacity: true)
        isPerforming = false
        setAlarm()
    }

    private func perform(_ action: HubAction) {
        switch action {
        case .sendLocation(let location, let ids): send(broadcast.ordinary(location, at: now), to: ids)
        case .sendStatus(let status, let ids): send(broadcast.ordinary(status), to: ids)
        case .sendSatellites(let satellites, let ids): send(broadcast.ordinary(satellites), to: ids)
        case .sendHeading(let heading, let time, let ids):
            send(broadcast.ordinary(heading, measured: time, at: now), to: ids)
        case .reply(let id, let update): _ = send(update, to: id)
        case .disconnect(let id, let reason):
            guard let client = watcher(id) else { return }
            disconnect(client, reason: reason)
        case .answer(let id, let answer): self.answer(id, answer)
        case .demand(let isOn):
            logger.info("demand changed", metadata: ["needed": "\(isOn)"])
            hooks.demand(isOn)
        case .reserveSequences(let end): hooks.reserveSequences(end)
        }
    }

    /// The way of each fix: the same bytes to each, by one system call per client.
    private func send(_ message: ByteBuffer, to ids: [WatchID]) {
        for id in ids {
            guard let client = watcher(id) else { continue }
            note(client.connection.reply(encoded: message, isFinal: false), of: id, client)
        }
    }

    /// - Returns: true if the client has taken it whole.
    private func send(_ update: WatchUpdate, to id: WatchID) -> Bool {
        guard let client = watcher(id) else { return false }
        if update.isFinal {
            watchers[id.slot] = nil
            client.activity = .idle
        }
        let sent = client.connection.reply(encoded: broadcast.own(update, at: now), isFinal: update.isFinal)
        if update.isFinal {
            client.sent += 1
            counters.deliveries += 1
        } else {
            note(sent, of: id, client)
        }
        return sent == .whole
    }

    private func note(_ sent: Connection.Sent, of id: WatchID, _ client: Client) {
        switch sent {
        case .whole: break
        case .partly: hub.fellBehind(id)
        case .nothing: return
        }
        client.sent += 1
        counters.deliveries += 1
    }

    func watcher(_ id: WatchID) -> Client? {
        watchers.indices.contains(id.slot) ? watchers[id.slot] : nil
    }

    /// The client has read everything: it gets what it missed, as far as it reads on.
    func catchUp(_ client: Client) {
        client.behindSince = nil
        guard case .watching(let id) = client.activity else { return }
        while let (update, actions) = hub.takeHeld(id, at: now) {
            perform(actions)
            guard send(update, to: id), !update.isFinal else { return }
        }
    }

    /// Lets a client go that has read nothing for the whole of the patience.
    func watchForStall(_ client: Client) {
        guard client.behindSince == nil else { return }
        let since = now
        client.behindSince = since
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(settings.stalledTimeout * 1000))) {
            [weak self, weak client] in
            guard let self, let client, client.behindSince == since else { return }
            self.disconnect(client, reason: "it read nothing for \(self.settings.stalledTimeout) s")
        }
    }

    func disconnect(_ client: Client, reason: String) {
        logger.notice(
            "connection ended by the service",
            metadata: ["client": "\(client.id)", "pid": "\(client.principal.pid)", "reason": "\(reason)"])
        client.connection.close()
    }

    // MARK: Time

    /// One timer for everything that waits. A deadline that moved away is not chased: the timer looks again then.
    private func setAlarm() {
        guard !isFinishing, let deadline = hub.nextDeadline else { return }
        if let alarm, alarm.time <= deadline { return }
        alarm?.task.cancel()
        let wait = TimeAmount.nanoseconds(max(0, Int64(deadline.seconds(since: now) * 1e9)))
        let task = loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
            guard let self else { return }
            self.alarm = nil
            self.perform(self.hub.advance(to: self.now))
        }
        alarm = (deadline, task)
    }

    private func keepLocationIfDue() {
        guard let last = hub.lastLocation else { return }
        if let keptLocation, last.monotonicTime.seconds(since: keptLocation) < Self.keepingInterval { return }
        keptLocation = last.monotonicTime
        hooks.keepLocation(last)
    }
}

/// What the service counted since it began.
struct ServiceCounters {
    var deliveries = 0
    var refusedConnections = 0
    var badRequests = 0
}
