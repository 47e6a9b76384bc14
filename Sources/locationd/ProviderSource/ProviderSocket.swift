import CLinux
import Glibc

/// A connection to a provider's socket that never blocks.
struct ProviderSocket: ~Copyable {
    let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects, and asks the kernel who is on the other side.
    static func connect(to endpoint: ProviderEndpoint) throws(ProviderFailure) -> ProviderSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(endpoint.path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .unreachable(words(ENAMETOOLONG))
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = Glibc.socket(AF_UNIX, Int32(flags), 0)
        guard descriptor >= 0 else { throw .unreachable(words(errno)) }
        let socket = ProviderSocket(descriptor: descriptor)
        switch socket.connect(to: address) {
        case 0: break
        case ENOENT, ECONNREFUSED: throw .absent
        case EACCES, EPERM: throw .noAccess
        case let code: throw .unreachable(words(code))
        }
        var peer = clinux_peer()
        guard clinux_peer_credentials(descriptor, &peer) == 0 else { throw .unreachable(words(errno)) }
        guard endpoint.isTrusted(uid: peer.uid, own: geteuid()) else { throw .foreign(uid: peer.uid) }
        return socket
    }

    /// - Returns: 0, or the system's number of what failed.
    private func connect(to address: sockaddr_un) -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            guard let base = bytes.baseAddress else { return EINVAL }
            let code = Glibc.connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            return code == 0 ? 0 : errno
        }
    }

    private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Sends a short message. - Returns: false if the kernel does not accept it at once, which for so few bytes means that the
    /// connection has failed.
    func send(_ message: [UInt8]) -> Bool {
        clinux_send(descriptor, message, message.count) == message.count
    }

    enum Read {
        case bytes(Int)
        case nothing
        case end
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return .bytes(count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
        return .end
    }
}
