import CLinux
import Glibc
@_spi(Programs) package import LocationInterface
package import NIOCore

/// Who owns the other end of a connection, as the kernel reports it: at a Unix socket the user who has connected, over
/// TCP the user who has made the socket, who need not be the one who uses it.
package enum PeerOwner: Equatable {
    case user(UInt32)
    /// Nobody whom the kernel can name: another machine, another network namespace, a process that is gone.
    case unknown

    /// The kernel's numbers for users that it cannot map, and for no user at all.
    private static let (overflowUID, noUID): (UInt32, UInt32) = (65_534, .max)

    /// - Parameter channel: an active channel, on its event loop.
    package init(of channel: any Channel) {
        switch (channel.remoteAddress, channel.localAddress) {
        case (.v4?, .v4?), (.v6?, .v6?): self.init(ofTCP: channel)
        // A connection that was reset already has no remote address any more.
        case (_, .v4?), (_, .v6?): self = .unknown
        default: self.init(ofUnix: channel)
        }
        if self == .user(Self.overflowUID) || self == .user(Self.noUID) { self = .unknown }
    }

    private init(ofTCP channel: any Channel) {
        var uid = Self.overflowUID
        let isFound = channel.remoteAddress?.withSockAddr { client, _ in
            channel.localAddress?.withSockAddr { server, _ in clinux_tcp_owner(client, server, &uid) == 0 }
        }
        self = isFound == true ? .user(uid) : .unknown
    }

    private init(ofUnix channel: any Channel) {
        var owner = PeerOwner.unknown
        guard let options = channel as? any SocketOptionProvider else {
            self = .unknown
            return
        }
        // It is answered at once, on the channel's own event loop. clinux_peer has the layout of struct ucred.
        options.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
            .assumeIsolated()
            .whenSuccess { (peer: clinux_peer) in owner = .user(peer.uid) }
        self = owner
    }
}

extension ServedProgram.Transport {
    /// How a connection was made.
    package init(of channel: any Channel) {
        switch channel.localAddress {
        case .v4?, .v6?: self = .tcp
        default: self = .unix
        }
    }
}
