import Authorization
import LocationHub
import LocationInterface
import LocationModel
import NIOCore
import VarlinkServer

/// The bridge: who connects to the NMEA socket watches from the first moment on, and makes no calls.
extension LocationService {
    func beginReading(_ client: Client) {
        guard !isFinishing, clients[client.id] === client, case .idle = client.activity else { return }
        client.request = "NMEA"
        askForTheBridge(client)
        let (id, actions) = hub.addWatch(WatchRequest(), permission: client.permission, at: now)
        seat(client, at: id)
        if !client.permission.mayReceive { noteRefusal(of: client) }
        perform(actions)
    }

    /// Its reader cannot ask whether it may know, so its coming does.
    private func askForTheBridge(_ client: Client) {
        guard client.permission.authorization == .notDetermined else { return }
        let request = AuthorizationRequest(.always, purpose: "the NMEA socket was opened", time: utc)
        // Too many wait already: whoever opens it later asks again.
        try? record(request, from: client)
    }

    /// - Returns: `nil` if there is nothing to say.
    func sendSentences(_ update: WatchUpdate, to client: Client) -> Connection.Sent? {
        let text = client.reading?.sentences(for: update, permission: client.permission)
        return text.map { client.connection.push(ByteBuffer(string: $0)) }
    }
}
