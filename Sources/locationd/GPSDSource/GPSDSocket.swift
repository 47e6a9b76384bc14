import CLinux
import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// A TCP connection to gpsd that never blocks.
struct GPSDSocket: ~Copyable {
    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    enum Attempt: ~Copyable {
        case connected(GPSDSocket)
        case failed(ConnectionFailure)
        case woken
    }

    /// The time limit, in seconds, for resolving a host: five for each query, of which there are a few for each server
    /// and each domain in resolv.conf.
    private static let resolutionTimeout = 120.0

    /// Tries each address of the host in turn, ten seconds each.
    static func connect(to endpoint: GPSDEndpoint, waker: Waker, heartbeat: Heartbeat) -> Attempt {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        heartbeat.beat(within: resolutionTimeout)
        let code = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
        guard code == 0, let first = list else { return .failed(.nameNotFound(String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(first) }
        var failure = ConnectionFailure.unreachable("it has no address")
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let address = next?.pointee {
            let descriptor = socket(
                address.ai_family, address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
                address.ai_protocol)
            guard descriptor >= 0 else {
                // On a machine without IPv6 another address of the host may still work.
                failure = .unreachable(words(errno))
                next = address.ai_next
                continue
            }
            let candidate = GPSDSocket(descriptor: descriptor)
            switch candidate.finishConnecting(to: address, waker: waker, heartbeat: heartbeat) {
            case 0: return .connected(candidate)
            case nil: return .woken
            case ECONNREFUSED?: failure = .refused
            case let error?: failure = .unreachable(words(error))
            }
            next = address.ai_next
        }
        return .failed(failure)
    }

    /// - Returns: 0, the error's number, or `nil` if woken meanwhile.
    private func finishConnecting(to address: addrinfo, waker: Waker, heartbeat: Heartbeat) -> Int32? {
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        switch heartbeat.wait(waker, for: descriptor, events: POLLOUT, seconds: 10) {
        case .woken: return nil
        case .timedOut: return ETIMEDOUT
        case .ready:
            var error: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Transfer(of: Glibc.read(descriptor, buffer.baseAddress, buffer.count))
    }

    /// Sends a short line. - Returns: false if the kernel does not accept it at once, which for so few bytes means that
    /// the connection has failed.
    func send(_ line: String) -> Bool {
        let bytes = Array(line.utf8)
        return clinux_send(descriptor, bytes, bytes.count) == bytes.count
    }

    private static func words(_ error: Int32) -> String {
        String(cString: strerror(error))
    }
}

/// A gpsd's address, and the receiver to use.
package struct GPSDEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// Name or address.
    package var host: String
    package var port: UInt16
    /// A device path as gpsd names it; `nil` for every receiver gpsd has.
    package var device: String?

    package init(host: String = "127.0.0.1", port: UInt16 = 2947, device: String? = nil) {
        self.host = host
        self.port = port
        self.device = device
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Why gpsd cannot be read, each with the next step for the administrator.
package enum ConnectionFailure: Equatable {
    case nameNotFound(String)
    case refused
    case unreachable(String)
    case closedWithoutData
    case closed
    case noGreeting
    case notGPSD
    case noWatch
    case errorReply(String)
    case silent(seconds: Int, devices: [String])

    func reason(for endpoint: GPSDEndpoint) -> String {
        switch self {
        case .nameNotFound(let why):
            "the host name \(endpoint.host) was not found (\(why)); check `host` in locationd.toml"
        case .refused:
            "nothing listens on \(endpoint): gpsd is not running there; `systemctl start gpsd.socket` starts it"
        case .unreachable(let why):
            "gpsd at \(endpoint) cannot be reached: \(why)"
        case .closedWithoutData:
            "gpsd at \(endpoint) closed the connection without a greeting, as it does when it already has 64 clients"
        case .closed:
            "gpsd at \(endpoint) closed the connection: it has ended or restarts"
        case .noGreeting:
            "the server at \(endpoint) sent no greeting within 10 s; gpsd may be probing a receiver, or it is not gpsd"
        case .notGPSD:
            "the server at \(endpoint) does not use gpsd's protocol; check `host` and `port` in locationd.toml"
        case .noWatch:
            "gpsd at \(endpoint) did not answer the request for reports within 10 s; it may be probing a receiver"
        case .errorReply(let message):
            "gpsd at \(endpoint) refused the request for reports (\(Printable.text(message))); "
                + (endpoint.device == nil ? "its log may have the cause" : "check `device` in locationd.toml")
        case .silent(let seconds, let devices) where devices.isEmpty:
            "gpsd at \(endpoint) has no receiver and sent nothing for \(seconds) s; plug one in, or name its device in "
                + "/etc/default/gpsd; it may also lack permission to open it"
        case .silent(let seconds, let devices):
            "gpsd at \(endpoint) sent nothing for \(seconds) s; is \(Printable.text(devices)) powered and sending?"
        }
    }
}
