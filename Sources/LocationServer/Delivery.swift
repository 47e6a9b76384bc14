import Authorization
import LocationHub
import LocationInterface
import LocationModel
import Logging
import NIOCore
import Varlink
import VarlinkServer

/// Doing what the hub decides.
extension LocationService {
    func perform(_ actions: [HubAction]) {
        carryOut(actions)
        settle()
    }

    /// Sending may end a connection, and with it a watch, whose actions come after those at hand. ``settle()`` is to
    /// follow, once for as many as come in a row.
    func carryOut(_ actions: [HubAction]) {
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
        logFix()
    }

    /// Looks at what may have changed with what was done.
    func settle() {
        guard !isPerforming else { return }
        awaitSky()
        setAlarm()
        noteChange()
    }

    private func perform(_ action: HubAction) {
        switch action {
        case .sendLocation(let location, let ids):
            trail.advance(to: utc)
            if trail.day != outletsDay { outlets.shutAll() }
            outletsDay = trail.day
            send(broadcast.ordinary(location, at: now), to: ids, saying: WatchUpdate(location: location))
        case .sendStatus(let status, let ids):
            send(broadcast.ordinary(status), to: ids, saying: WatchUpdate(status: status))
        case .sendSatellites(let satellites, let ids):
            send(broadcast.ordinary(satellites), to: ids, saying: WatchUpdate())
        case .sendHeading(let heading, let time, let ids):
            send(broadcast.ordinary(heading, measured: time, at: now), to: ids, saying: WatchUpdate())
        case .reply(let id, let update): _ = send(update, to: id)
        case .catchUp(let id): if let client = watcher(id), !client.connection.isBehind { sendHeld(id, to: client) }
        case .endMonitor(let id, let name): endMonitor(id, name: name)
        case .monitorDisplaced(let key):
            logger.log(
                .monitorDisplaced, ["principal": "uid:\(key.owner)", "name": "\(key.name.escapingUnprintable())"])
        case .keepMonitors: keepMonitors()
        case .monitorsUnkept: logger.log(.monitorsNotKept, ["reason": "the disk takes its time"])
        case .disconnect(let id, let reason):
            guard let client = watcher(id) else { return }
            disconnect(client, reason: reason)
        case .answer(let id, let answer): self.answer(id, answer)
        case .demand(let count):
            logger.debug("demand changed", metadata: ["sources": "\(count)"])
            hooks.demand(count)
        case .reserveSequences(let end): hooks.reserveSequences(end)
        case .keepReduction: if let reduction = hub.reduction { hooks.keepReduction(reduction) }
        }
    }

    /// The way of each fix: the same bytes to each, by one system call per client.
    /// - Parameter update: what the bytes say, for those who read it in another form.
    private func send(_ message: ByteBuffer, to ids: [WatchID], saying update: WatchUpdate) {
        let tellsLocation = update.location != nil
        let (whole, rest) = outlets.send(message, at: ids.map(\.slot))
        counters.deliveries += whole
        for (slot, taken) in rest {
            let id = WatchID(slot: slot)
            guard let client = watcher(id) else { continue }
            if tellsLocation { noteDeliveryToday(to: client) }
            if client.reading == nil {
                note(client.connection.reply(encoded: message, taken: taken, isFinal: false), of: id, client)
                if client.auditedDay == outletsDay { client.connection.lend(to: outlets, at: slot) }
            } else if let sent = sendSentences(update, to: client) {
                note(sent, of: id, client)
            }
        }
    }

    /// - Returns: true if the client has taken it whole.
    private func send(_ update: WatchUpdate, to id: WatchID) -> Bool {
        guard let client = watcher(id) else { return false }
        if update.tellsPosition { noteDelivery(to: client) }
        if update.isFinal {
            unseat(client, from: id)
        }
        let sent =
            client.reading != nil
            ? sendSentences(update, to: client)
            : client.connection.reply(encoded: broadcast.own(update, at: now), isFinal: update.isFinal)
        guard let sent else { return true }
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

    /// The client has read everything: it gets what it missed, as far as it reads on.
    func catchUp(_ client: Client) {
        client.behindSince = nil
        if case .watching(let id) = client.activity { sendHeld(id, to: client) }
    }

    private func sendHeld(_ id: WatchID, to client: Client) {
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
        awaitProgress(of: client, behindSince: since)
    }

    /// Whoever reads slowly may take longer than the patience until everything is read: the kernel says that it has room
    /// when three quarters are.
    private func awaitProgress(of client: Client, behindSince since: BootInstant) {
        let unread = client.connection.unread
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(settings.limits.stalledTimeout * 1000))) {
            [weak self, weak client] in
            guard let self, let client, client.behindSince == since else { return }
            guard client.connection.unread >= unread else {
                return self.awaitProgress(of: client, behindSince: since)
            }
            self.disconnect(
                client, reason: "it has read nothing in \(self.settings.limits.stalledTimeout) s of what was sent to it"
            )
        }
    }

    func disconnect(_ client: Client, reason: String) {
        logger.log(
            .clientLetGo,
            [
                "client": "\(client.id)", "pid": "\(client.principal.pid)", "principal": "\(client.principal)",
                "reason": "\(reason)",
            ])
        client.connection.close()
    }
}
