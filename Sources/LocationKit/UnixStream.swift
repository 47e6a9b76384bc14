import CLinux
import Glibc
import LocationInterface
import Machine

/// A connected Unix socket that one thread uses.
struct UnixStream: ~Copyable {
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// - Throws: `daemonNotRunning` with the system's words, or `unauthorized` if the path is closed to this user.
    static func connect(to path: String) throws(LocationError) -> UnixStream {
        func failure(_ code: Int32) -> LocationError {
            guard code != EACCES else { return .unauthorized(.denied, reason: closed(path)) }
            return .daemonNotRunning(path: path, reason: String(cString: strerror(code)))
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw failure(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(errno) }
        let stream = UnixStream(descriptor: descriptor)
        let code = withUnsafeBytes(of: &address) { bytes in
            guard let base = bytes.baseAddress else { return Int32(-1) }
            return Glibc.connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard code == 0 else { throw failure(errno) }
        return stream
    }

    private static func closed(_ path: String) -> String {
        let control = "/" + SocketName.control
        guard path.hasSuffix(control) else { return "you may not use the socket \(path)" }
        let open = path.dropLast(control.count) + "/" + SocketName.location
        return "you may not use the socket \(path), which is for administrators; \(open) is for everybody"
    }

    /// Sends everything, waiting for the daemon to take it, for 30 s at most.
    /// - Throws: `disconnected` if it does not any more, `cancelled` if woken.
    func send(_ bytes: [UInt8], waker: Waker) throws(LocationError) {
        let start = MachineClock.now
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { clinux_send(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                sent += count
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                let left = 30 - MachineClock.now.seconds(since: start)
                guard left > 0 else { throw .disconnected }
                guard waker.wait(for: descriptor, events: POLLOUT, seconds: left) != .woken else { throw .cancelled }
            } else {
                throw .disconnected
            }
        }
    }

    enum Input {
        case bytes(Int)
        case end
        case timedOut
        case woken
    }

    /// Waits for bytes.
    func receive(into buffer: UnsafeMutableRawBufferPointer, waker: Waker, seconds: Double) -> Input {
        switch waker.wait(for: descriptor, events: POLLIN, seconds: seconds) {
        case .woken: return .woken
        case .timedOut: return .timedOut
        case .ready: break
        }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .timedOut : .end
    }
}
