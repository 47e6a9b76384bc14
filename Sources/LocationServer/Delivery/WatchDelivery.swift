import LocationHub
import LocationModel
import Varlink
import VarlinkServer

/// What delivery says to the owner of the hub.
protocol DeliveryOwner: AnyObject {
    /// The watch's client has not taken all it was sent.
    func watchFellBehind(_ id: WatchID)
}

/// Sends what the hub decides to the clients that watch: the same bytes to each, by one system call per client.
///
/// Ownership: everything here belongs to the event loop. A place in `watchers` and in `directSends` is the slot of the
/// hub's watch, from ``bind(_:to:)`` to ``unbind(_:from:)``.
final class WatchDelivery {
    /// The watching clients by the place of their watch.
    private(set) var watchers: ContiguousArray<ServerClient?> = []
    /// Those of them that are sent what everybody is, and are up to date, by the same places.
    var directSends = DirectSendTable()
    /// Messages that clients have taken, or will.
    private(set) var count = 0
    private let broadcast: Broadcast
    private let history: HistoryRecorder
    private let clock: ServerClock
    private let errors: InternalErrors
    weak var owner: (any DeliveryOwner)?

    init(history: HistoryRecorder, clock: ServerClock, errors: InternalErrors) {
        self.history = history
        self.clock = clock
        self.errors = errors
        broadcast = Broadcast { errors.report("a message cannot be encoded") }
    }

    /// Messages made, each of which may have gone to many.
    var encodings: Int { broadcast.encodings }

    // MARK: Watches

    /// The watch is this client's from now on.
    func bind(_ client: ServerClient, to id: WatchID) {
        while watchers.count <= id.slot { watchers.append(nil) }
        watchers[id.slot] = client
        client.activity = .watching(id)
    }

    /// The watch has ended; its place may be another's next.
    func unbind(_ client: ServerClient, from id: WatchID) {
        client.connection.disableDirectSend()
        countSent(to: client, at: id)
        guard watchers.indices.contains(id.slot) else { return errors.report("a watch ends that was never bound") }
        watchers[id.slot] = nil
        client.activity = .idle
    }

    func watcher(_ id: WatchID) -> ServerClient? {
        watchers.indices.contains(id.slot) ? watchers[id.slot] : nil
    }

    /// Brings the client's count of messages up to date.
    func countSent(to client: ServerClient, at id: WatchID) {
        client.sent += directSends.takeCount(at: id.slot)
    }

    // MARK: To many

    func send(_ location: Location, to ids: [WatchID]) {
        send(broadcast.ordinary(location, at: clock.now()), to: ids, as: WatchUpdate(location: location))
    }

    func send(_ status: ServiceStatus, to ids: [WatchID]) {
        send(broadcast.ordinary(status), to: ids, as: WatchUpdate(status: status))
    }

    func send(_ satellites: [Satellite], to ids: [WatchID]) {
        send(broadcast.ordinary(satellites), to: ids, as: WatchUpdate())
    }

    func send(_ heading: Heading, measured time: BootInstant, to ids: [WatchID]) {
        send(broadcast.ordinary(heading, measured: time, at: clock.now()), to: ids, as: WatchUpdate())
    }

    /// - Parameter update: what the bytes say, for readers of NMEA sentences.
    private func send(_ message: EncodedMessage, to ids: [WatchID], as update: WatchUpdate) {
        let hasLocation = update.location != nil
        let (whole, rest) = directSends.send(message, at: ids.map(\.slot))
        count += whole
        for (slot, taken) in rest {
            let id = WatchID(slot: slot)
            guard let client = watcher(id) else { continue }
            if hasLocation { history.recordDeliveryOfToday(to: client) }
            if client.reading == nil {
                recordSent(client.connection.reply(encoded: message, taken: taken, isFinal: false), of: id, client)
                if history.isDeliveryRecorded(of: client) {
                    client.connection.enableDirectSend(by: directSends, at: slot)
                }
            } else if let sent = sendSentences(update, to: client) {
                recordSent(sent, of: id, client)
            }
        }
    }

    // MARK: To one

    /// - Returns: true if the client has taken it whole.
    @discardableResult
    func send(_ update: WatchUpdate, to id: WatchID) -> Bool {
        guard let client = watcher(id) else { return false }
        if update.tellsPosition { history.recordDelivery(to: client) }
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

    /// - Returns: `nil` if there is nothing to say.
    private func sendSentences(_ update: WatchUpdate, to client: ServerClient) -> Connection.Sent? {
        let text = client.reading?.sentences(for: update, permission: client.permission)
        return text.map { client.connection.push(EncodedMessage($0)) }
    }

    private func recordSent(_ sent: Connection.Sent, of id: WatchID, _ client: ServerClient) {
        switch sent {
        case .whole: break
        case .partly: owner?.watchFellBehind(id)
        case .nothing: return
        }
        client.sent += 1
        count += 1
    }
}
