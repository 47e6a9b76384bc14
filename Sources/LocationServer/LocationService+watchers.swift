import LocationHub
import VarlinkServer

/// Who has which watch.
extension LocationService {
    /// The watch is this client's from now on.
    func seat(_ client: Client, at id: WatchID) {
        while watchers.count <= id.slot { watchers.append(nil) }
        watchers[id.slot] = client
        client.activity = .watching(id)
    }

    /// The watch has ended; its place may be another's next.
    func unseat(_ client: Client, from id: WatchID) {
        client.connection.withdraw()
        countSent(to: client, at: id)
        watchers[id.slot] = nil
        client.activity = .idle
    }

    func watcher(_ id: WatchID) -> Client? {
        watchers.indices.contains(id.slot) ? watchers[id.slot] : nil
    }

    /// Brings what the client was sent up to date.
    func countSent(to client: Client, at id: WatchID) {
        client.sent += outlets.take(at: id.slot)
    }
}
