import CLinux
import Glibc
package import LocationInterface
package import NIOCore

/// Who owns the other end of a connection, as the kernel reports it: at a Unix socket the user who has connected, over TCP
/// the user who has made the socket, who need not be the one who uses it.
package enum PeerOwner: Equatable {
    case user(UInt32)
    /// Nobody whom the kernel can name: another machine, another network namespace, a process that is gone.
    case unknown

    /// The kernel's number for users that it cannot map.
    private static let overflowUID: UInt32 = 65_534

    /// - Parameter channel: an active channel, on its event loop.
    package init(of channel: any Channel) {
        switch (channel.remoteAddress, channel.localAddress) {
        case (.v4?, .v4?), (.v6?, .v6?): self.init(ofTCP: channel)
        default: self.init(ofUnix: channel)
        }
        if self == .user(Self.overflowUID) { self = .unknown }
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
        switch channel.remoteAddress {
        case .v4?, .v6?: self = .tcp
        default: self = .unix
        }
    }
}
