import GPSDProtocol
import Logging
import NIOCore
import ServedPrograms

/// The users who have connections, and what they are sent.
///
/// Ownership: everything belongs to the event loop.
final class Users {
    private let daemon: String
    private let limits: GPSDServer.Limits
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var feeds: [UInt32: UserFeed] = [:]

    init(daemon: String, limits: GPSDServer.Limits, eventLoop: any EventLoop, logger: Logger) {
        self.daemon = daemon
        self.limits = limits
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// What the user of a new connection is sent; `nil` if it is refused.
    func feed(for client: GPSDClient, over channel: any Channel) -> UserFeed? {
        guard case .user(let uid) = PeerOwner(of: channel) else {
            client.send(
                GPSDReply.error("the kernel does not name the owner of this connection; connect from this machine"))
            return nil
        }
        feeds = feeds.filter { !$0.value.isEmpty }
        let total = feeds.values.reduce(0) { $0 + $1.clients.count }
        let feed =
            feeds[uid] ?? UserFeed(uid: uid, daemon: daemon, eventLoop: eventLoop, logger: logger)
        guard total < limits.clients, feed.clients.count < limits.clientsPerUser else {
            client.send(GPSDReply.error("too many connections; try again when some have closed"))
            logger.warning("too many connections", metadata: ["uid": "\(uid)", "connections": "\(total)"])
            return nil
        }
        feeds[uid] = feed
        return feed
    }

    func end() {
        for feed in feeds.values {
            feed.end()
            for client in feed.clients.values { client.close() }
        }
    }
}
