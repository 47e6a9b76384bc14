import CLinux
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import SystemSupport

/// A non-blocking Unix stream socket, used by one thread.
struct UnixStream: ~Copyable {
    let descriptor: Int32
    let path: String
    private let address: UnixAddress

    private init(path: String) throws(LocationError) {
        guard let address = UnixAddress(path) else { throw Self.failure(ENAMETOOLONG, at: path) }
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(flags), 0)
        guard descriptor >= 0 else { throw Self.failure(errno, at: path) }
        self.init(descriptor: descriptor, path: path, address: address)
    }

    private init(descriptor: Int32, path: String, address: UnixAddress) {
        self.descriptor = descriptor
        self.path = path
        self.address = address
    }

    deinit {
        close(descriptor)
    }

    /// A non-blocking socket that is not connected yet.
    static func unconnected(to path: String) throws(LocationError) -> UnixStream {
        try UnixStream(path: path)
    }

    /// - Returns: false if the daemon's queue of connections is full.
    /// - Throws: `daemonNotRunning` with the system's error message, or `unauthorized` if this user has no access to
    ///   the socket.
    func connect() throws(LocationError) -> Bool {
        let code = address.connect(descriptor)
        if code == EAGAIN || code == EINTR { return false }
        guard code == 0 else { throw Self.failure(code, at: path) }
        return true
    }

    private static func failure(_ code: Int32, at path: String) -> LocationError {
        guard code != EACCES else { return .unauthorized(.denied, reason: closed(path)) }
        return .daemonNotRunning(path: path, reason: String(cString: strerror(code)))
    }

    private static func closed(_ path: String) -> String {
        let control = "/" + SocketName.control
        guard path.hasSuffix(control) else { return "you may not use the socket \(path)" }
        let open = path.dropLast(control.count) + "/" + SocketName.location
        return "you may not use the socket \(path), which is for administrators; \(open) is for all programs"
    }

    /// Sends as much as the kernel accepts without blocking.
    func send(_ bytes: ArraySlice<UInt8>) -> Transfer {
        Transfer(of: bytes.withUnsafeBytes { clinux_send(descriptor, $0.baseAddress, $0.count) })
    }

    /// Receives what is there without blocking.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Transfer(of: recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
    }
}

extension UnixStream {
    /// Seconds between two attempts to connect.
    static var pause: Double { 0.02 }

    /// - Parameter seconds: how long to wait while the daemon's queue of connections is full. No event reports that it
    ///   has room again, hence the attempts.
    /// - Throws: `daemonNotRunning`, `unauthorized` if this user has no access to the socket, or `cancelled` if woken.
    static func connect(to path: String, waker: Waker, seconds: Double) throws(LocationError) -> UnixStream {
        let stream = try unconnected(to: path)
        let start = MachineClock.now
        while try !stream.connect() {
            let left = seconds - MachineClock.now.seconds(since: start)
            guard left > 0 else { throw .busy(at: path) }
            guard waker.wait(for: -1, events: 0, seconds: min(left, pause)) != .woken else { throw .cancelled }
        }
        return stream
    }

    /// Sends everything; waits for the daemon to read for at most 30 s.
    /// - Throws: `disconnected` if it does not read any more, `cancelled` if woken.
    func send(_ bytes: [UInt8], waker: Waker) throws(LocationError) {
        let start = MachineClock.now
        var rest = bytes[...]
        while !rest.isEmpty {
            switch send(rest) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .end: throw .disconnected
            case .nothingNow:
                let left = 30 - MachineClock.now.seconds(since: start)
                guard left > 0 else { throw .disconnected }
                guard waker.wait(for: descriptor, events: POLLOUT, seconds: left) != .woken else { throw .cancelled }
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
        switch receive(into: buffer) {
        case .bytes(let count): return .bytes(count)
        case .nothingNow: return .timedOut
        case .end: return .end
        }
    }
}

extension LocationError {
    /// The daemon's queue of connections is full.
    static func busy(at path: String) -> LocationError {
        .daemonNotRunning(path: path, reason: "it accepts no more connections")
    }
}
