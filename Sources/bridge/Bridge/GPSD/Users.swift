import GPSDProtocol
@_spi(Programs) import LocationInterface
import Logging
import NIOCore
@_spi(Programs) import ServiceServer

/// The users who have connections, and what they are sent.
///
/// Ownership: everything belongs to the event loop.
final class Users {
    /// The daemon judges a user's programs differently by transport: over TCP the kernel only names the socket's maker.
    private struct Owner: Hashable {
        let uid: UInt32
        let transport: ServedProgram.Transport
    }

    /// So many users' receivers stay known while none of their programs is there.
    private static let mostRemembered = 64

    let limits: ClientLimits
    private let daemon: String
    private let estimates: Bool
    private let eventLoop: any EventLoop
    private let log: OutageLog
    private var feeds: [Owner: UserFeed] = [:]

    init(
        daemon: String, limits: GPSDServer.Limits, estimates: Bool, eventLoop: any EventLoop, logger: Logger,
        log: OutageLog
    ) {
        self.daemon = daemon
        self.estimates = estimates
        self.limits = ClientLimits(limits, eventLoop: eventLoop, logger: logger)
        self.eventLoop = eventLoop
        self.log = log
    }

    /// What the user of a new connection is sent; `nil` if it is refused.
    func feed(for client: GPSDClient, over channel: any Channel) -> UserFeed? {
        guard case .user(let uid) = PeerOwner(of: channel) else {
            client.send(
                GPSDReply.error("the kernel does not name the owner of this connection; connect from this machine"))
            return nil
        }
        switch limits.enter(uid) {
        case .admitted: break
        case .refused:
            client.send(GPSDReply.error("too many connections; try again when some have closed"))
            limits.leaveRefused(uid)
            return nil
        case .shut: return nil
        }
        let limits = limits
        channel.closeFuture.assumeIsolated().whenComplete { _ in limits.leave(uid) }
        feeds = feeds.filter { !$0.value.isIdle || $0.value.knowsReceivers && feeds.count <= Self.mostRemembered }
        let owner = Owner(uid: uid, transport: ServedProgram.Transport(of: channel))
        let feed =
            feeds[owner]
            ?? UserFeed(
                uid: uid, transport: owner.transport, daemon: daemon, limits: limits, estimates: estimates,
                eventLoop: eventLoop, log: log)
        feeds[owner] = feed
        return feed
    }

    func end() {
        for feed in feeds.values {
            feed.end()
            for client in feed.clients.values { client.close() }
        }
    }
}
