import LocationHub
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport

/// Sends the hub's updates to the watching clients: the same bytes to each, with one system call per client.
///
/// Ownership: everything here belongs to the event loop. The index into `watchers` and `directSends` is the slot of the
/// hub's watch, from ``bind(_:to:)`` to ``unbind(_:from:)``.
final class WatchDelivery {
    /// The watching clients, indexed by the slot of their watch.
    private(set) var watchers: ContiguousArray<ServerClient?> = []
    /// The watching clients that receive the common messages and are not behind, indexed by the same slots.
    var directSends = DirectSendTable()
    /// Messages that clients have received or that are queued for them.
    private(set) var count = 0
    private let broadcast: Broadcast
    private let audit: AuditRecorder
    private let usage: UsageCalls
    private let clock: ServiceClock
    private let errors: InternalErrors
    private weak var owner: LocationCalls?

    init(_ context: ServerContext, audit: AuditRecorder, usage: UsageCalls, owner: LocationCalls) {
        self.audit = audit
        self.usage = usage
        self.owner = owner
        clock = context.clock
        errors = context.errors
        let errors = errors
        broadcast = Broadcast { errors.report("a message cannot be encoded") }
    }

    /// Messages encoded; each may have been sent to many clients.
    var encodings: Int { broadcast.encodings }

    // MARK: Watches

    /// Binds the watch's slot to the client.
    func bind(_ client: ServerClient, to id: WatchID) {
        while watchers.count <= id.slot { watchers.append(nil) }
        if watchers[id.slot] != nil { errors.report("a watch begins in the slot of another") }
        watchers[id.slot] = client
        client.activity = .watching(id)
        client.receivesSince = clock.now()
    }

    /// Frees the slot of a watch that has ended; another watch may use it next.
    func unbind(_ client: ServerClient, from id: WatchID) {
        client.connection.disableDirectSend()
        countSent(to: client, at: id)
        usage.addUnlisted(of: client)
        client.receivesSince = nil
        guard watchers.indices.contains(id.slot) else { return errors.report("a watch ends that was never bound") }
        watchers[id.slot] = nil
        client.activity = .idle
    }

    func watcher(_ id: WatchID) -> ServerClient? {
        watchers.indices.contains(id.slot) ? watchers[id.slot] : nil
    }

    /// Adds the direct sends since the last call to the client's counts.
    func countSent(to client: ServerClient, at id: WatchID) {
        let counts = directSends.consumeCounts(at: id.slot)
        client.sent += counts.messages
        if counts.locations > 0 { client.unlisted.add(counts.locations, at: counts.lastLocation) }
    }

    // MARK: To many

    // A stage of its own in what `make instructions` counts.
    @inline(never)
    func send(_ location: Location, to ids: [WatchID]) {
        send(broadcast.ordinary(location, at: clock.now()), to: ids, as: WatchUpdate(location: location))
    }

    func send(_ status: ServiceStatus, to ids: [WatchID]) {
        send(broadcast.ordinary(status), to: ids, as: WatchUpdate(status: status))
    }

    func send(_ satellites: [Satellite], to ids: [WatchID]) {
        var update = WatchUpdate()
        update.satellites = satellites
        send(broadcast.ordinary(satellites), to: ids, as: update)
    }

    func send(_ heading: Heading, measured time: BootInstant, to ids: [WatchID]) {
        send(broadcast.ordinary(heading, measured: time, at: clock.now()), to: ids, as: WatchUpdate())
    }

    /// - Parameter update: the content of the bytes, for readers of NMEA sentences.
    private func send(_ message: EncodedMessage, to ids: [WatchID], as update: WatchUpdate) {
        let second = update.location == nil ? nil : clock.now().wholeSeconds
        let (whole, unsent) = directSends.send(message, at: ids.map(\.slot), locationAt: second)
        count += whole
        for (slot, sentBytes) in unsent {
            let id = WatchID(slot: slot)
            guard let client = watcher(id) else { continue }
            if let second { audit.recordDeliveryOfToday(to: client, at: second) }
            if client.reading == nil {
                recordSent(
                    client.connection.reply(encoded: message, sentBytes: sentBytes, isFinal: false), of: id, client)
                if audit.isDeliveryRecorded(of: client) {
                    client.connection.enableDirectSend(by: directSends, at: slot)
                }
            } else if let sent = sendSentences(update, to: client) {
                recordSent(sent, of: id, client)
            }
        }
    }

    /// In one write, so that each client wakes once.
    func send(_ batch: LocationBatch, to ids: [WatchID]) {
        let message = broadcast.batch(batch, at: clock.now())
        for id in ids {
            guard let client = watcher(id) else { continue }
            audit.recordDelivery(to: client, count: batch.locations.count)
            if batch.isFinal { unbind(client, from: id) }
            let sent = client.connection.reply(encoded: message, isFinal: batch.isFinal)
            if sent == .nothing { continue }
            client.sent += batch.locations.count
            count += batch.locations.count
            if sent == .partly, !batch.isFinal { owner?.hub.fellBehind(id) }
        }
    }

    // MARK: To one

    /// - Returns: true if the kernel has accepted the whole message.
    @discardableResult
    func send(_ update: WatchUpdate, to id: WatchID) -> Bool {
        guard let client = watcher(id) else { return false }
        if update.containsPosition { audit.recordDelivery(to: client) }
        if update.isFinal { unbind(client, from: id) }
        let sent =
            client.reading != nil
            ? sendSentences(update, to: client)
            : client.connection.reply(encoded: broadcast.own(update, at: clock.now()), isFinal: update.isFinal)
        guard let sent else { return true }
        if update.isFinal {
            client.sent += 1
            count += 1
        } else {
            recordSent(sent, of: id, client)
        }
        return sent == .whole
    }

    /// - Returns: `nil` if there is nothing to send.
    private func sendSentences(_ update: WatchUpdate, to client: ServerClient) -> Connection.Sent? {
        let text = client.reading?.sentences(for: update, permission: client.permission)
        return text.map { client.connection.push(EncodedMessage($0)) }
    }

    private func recordSent(_ sent: Connection.Sent, of id: WatchID, _ client: ServerClient) {
        switch sent {
        case .whole: break
        case .partly: owner?.hub.fellBehind(id)
        case .nothing: return
        }
        client.sent += 1
        count += 1
    }
}
