import CLinux
import Glibc
@_spi(Programs) import SystemSupport

/// A connection to a provider's socket that never blocks.
struct ProviderSocket: ~Copyable {
    private let descriptor: Int32
    /// Readable when the connection is, or what else was named.
    let readiness: Int32

    private init(descriptor: Int32) {
        (self.descriptor, readiness) = (descriptor, clinux_epoll())
    }

    deinit {
        close(descriptor)
        if readiness >= 0 { close(readiness) }
    }

    /// Connects, and asks the kernel who is on the other side.
    /// - Parameter news: a further descriptor of ``readiness``.
    static func connect(to endpoint: ProviderEndpoint, news: Int32?) throws(ProviderFailure) -> ProviderSocket {
        guard let address = UnixAddress(endpoint.path) else { throw .unreachable(words(ENAMETOOLONG)) }
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = Glibc.socket(AF_UNIX, Int32(flags), 0)
        guard descriptor >= 0 else { throw .unreachable(words(errno)) }
        let socket = ProviderSocket(descriptor: descriptor)
        switch address.connect(descriptor) {
        case 0: break
        case ENOENT, ECONNREFUSED: throw .absent
        case EACCES, EPERM: throw .noAccess
        case let code: throw .unreachable(words(code))
        }
        var peer = clinux_peer()
        guard clinux_peer_credentials(descriptor, &peer) == 0 else { throw .unreachable(words(errno)) }
        guard endpoint.isTrusted(uid: peer.uid, own: geteuid()) else { throw .foreign(uid: peer.uid) }
        guard clinux_epoll_add(socket.readiness, descriptor, 0, 0) == 0,
            news.map({ clinux_epoll_add(socket.readiness, $0, 1, 0) }) ?? 0 == 0
        else { throw .unreachable(words(errno)) }
        return socket
    }

    private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Sends a short message. - Returns: false if the kernel does not accept it at once, which for so few bytes means
    /// that the connection has failed.
    func send(_ message: [UInt8]) -> Bool {
        clinux_send(descriptor, message, message.count) == message.count
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Transfer(of: Glibc.read(descriptor, buffer.baseAddress, buffer.count))
    }
}
