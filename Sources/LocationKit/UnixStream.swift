import CLinux
import Glibc
import LocationInterface
import SystemSupport

/// A Unix socket that one thread uses.
struct UnixStream: ~Copyable {
    let descriptor: Int32
    let path: String
    private let address: sockaddr_un

    private init(path: String) throws(LocationError) {
        let address = try Self.address(of: path)
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(flags), 0)
        guard descriptor >= 0 else { throw Self.failure(errno, at: path) }
        self.init(descriptor: descriptor, path: path, address: address)
    }

    private init(descriptor: Int32, path: String, address: sockaddr_un) {
        self.descriptor = descriptor
        self.path = path
        self.address = address
    }

    deinit {
        close(descriptor)
    }

    /// A socket that waits for nothing, not yet connected.
    static func unconnected(to path: String) throws(LocationError) -> UnixStream {
        try UnixStream(path: path)
    }

    /// - Returns: false if the daemon has more callers than it takes at present.
    /// - Throws: `daemonNotRunning` with the system's words, or `unauthorized` if the path is closed to this user.
    func connect() throws(LocationError) -> Bool {
        let code = tryConnecting()
        if code == EAGAIN || code == EINTR { return false }
        guard code == 0 else { throw Self.failure(code, at: path) }
        return true
    }

    private static func address(of path: String) throws(LocationError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw failure(ENAMETOOLONG, at: path) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private func tryConnecting() -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            guard let base = bytes.baseAddress else { return EINVAL }
            let code = Glibc.connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            return code == 0 ? 0 : errno
        }
    }

    private static func failure(_ code: Int32, at path: String) -> LocationError {
        guard code != EACCES else { return .unauthorized(.denied, reason: closed(path)) }
        return .daemonNotRunning(path: path, reason: String(cString: strerror(code)))
    }

    private static func closed(_ path: String) -> String {
        let control = "/" + SocketName.control
        guard path.hasSuffix(control) else { return "you may not use the socket \(path)" }
        let open = path.dropLast(control.count) + "/" + SocketName.location
        return "you may not use the socket \(path), which is for administrators; \(open) is for everybody"
    }

    enum Taken {
        case bytes(Int)
        case nothingNow
        case end
    }

    /// Gives the kernel what it takes without waiting.
    func send(_ bytes: ArraySlice<UInt8>) -> Taken {
        taken(bytes.withUnsafeBytes { clinux_send(descriptor, $0.baseAddress, $0.count) })
    }

    /// Takes what is there without waiting.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Taken {
        taken(recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
    }

    private func taken(_ count: Int) -> Taken {
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingNow : .end
    }
}
