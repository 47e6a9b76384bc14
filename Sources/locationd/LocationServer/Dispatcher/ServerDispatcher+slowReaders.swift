@_spi(Programs) import LocationModel
package import ServiceServer

/// What a client that reads too slowly costs and loses. It is in three places, and this is the middle one:
///
/// - ``Connection`` sends what the kernel takes at once, one message is held beyond that, and tells when it begins to
///   wait and when all is read;
/// - meanwhile ``Backlog``, of each watch, holds one location, one heading and one view of the sky, the newest, and
///   every status: what it replaces is counted in `dropped` of the next reply, and more than ``Backlog/statusLimit``
///   statuses disconnect;
/// - here the client is disconnected that has read nothing for `stalled-timeout` (30 s), and gets what was held once it
///   has read all.
///
/// Its slot among its user's connections is taken for as long. No other client waits for it.
extension ServerDispatcher {
    package func connectionFellBehind(_ connection: Connection) {
        guard let client = connections.registry.client(of: connection), client.behindSince == nil else { return }
        let since = now
        client.behindSince = since
        awaitProgress(of: client, behindSince: since)
    }

    /// Disconnects a client that has read nothing for the whole of the patience. A slow reader may take longer than
    /// that to read everything, because the kernel reports room only when three quarters are read.
    private func awaitProgress(of client: ServerClient, behindSince since: BootInstant) {
        let unread = client.connection.unread
        loop.schedule(after: settings.limits.stalledTimeout) { [weak self, weak client] in
            guard let self, let client, client.behindSince == since else { return }
            guard client.connection.unread >= unread else {
                return awaitProgress(of: client, behindSince: since)
            }
            connections.disconnect(client, reason: "it has read nothing for \(settings.limits.stalledTimeout) s")
        }
    }

    /// The client has read everything: sends it the backlog, for as long as it keeps reading.
    package func connectionDrained(_ connection: Connection) {
        guard let client = connections.registry.client(of: connection) else { return }
        client.behindSince = nil
        // What is held must not be sent under a term that has ended, however late its timer is.
        decisions.endDueDecisions()
        switch client.activity {
        case .watching(let id): locations.sendHeld(id)
        case .watchingRequests: decisions.requestFeed.schedule()
        case .watchingUsage: usage.feed.schedule()
        case .idle, .requesting, .authorizing: break
        }
    }
}
