import CLinux
import Glibc
import TestSupport

/// All connections of the program, of which those are served that are ready.
final class Connections {
    private let epoll: Int32
    private var clients: [FleetClient] = []
    /// Those that have something to write which their sockets did not take.
    private var writers: [FleetClient] = []

    init() throws {
        epoll = clinux_epoll()
        guard epoll >= 0 else { throw Failure("no epoll: \(errno)") }
    }

    deinit { close(epoll) }

    func connect(_ client: FleetClient, to port: UInt16) throws {
        try client.connect(to: port)
        guard clinux_epoll_add(epoll, client.socket, UInt64(clients.count), 0) == 0 else {
            throw Failure("no epoll: \(errno)")
        }
        clients.append(client)
        // The handshake of TLS.
        writers.append(client)
    }

    /// Serves those that are ready now, or become so within the time.
    func serve(for seconds: Double) throws {
        writers = try writers.filter { try $0.serve() }
        var set = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
        let wait = writers.isEmpty ? (max(0, seconds) * 1000).rounded(.up) : 1
        guard poll(&set, 1, Int32(wait)) > 0 else { return }
        var tags = [UInt64](repeating: 0, count: 64)
        let count = clinux_epoll_wait(epoll, &tags, Int32(tags.count))
        guard count >= 0 else { throw Failure("no epoll: \(errno)") }
        for tag in tags.prefix(Int(count)) where try clients[Int(tag)].serve() { writers.append(clients[Int(tag)]) }
    }

    func serve(until isReady: () -> Bool) throws {
        let deadline = FleetClient.now + 120
        while !isReady() {
            guard FleetClient.now < deadline else { throw Failure("the broker does not answer within 120 s") }
            try serve(for: 0.1)
        }
    }

    /// Pings where a connection is silent, and writes what a socket did not take when it was published.
    func ping() throws {
        for client in clients {
            try client.ping()
            if try client.serve() { writers.append(client) }
        }
    }
}
