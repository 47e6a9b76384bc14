import GPSDProtocol
import Glibc
package import Logging
import NIOCore
import NIOPosix

/// Serves programs that are written for gpsd, each with what its user may know by the daemon.
package final class GPSDServer: Sendable {
    /// How many connections there may be, in all and of one user, and how long one may not read.
    package struct Limits: Sendable, Hashable {
        package var clients = 2000
        package var clientsPerUser = 1000
        /// Seconds without reading after which a client that is behind is closed.
        package var stalledTimeout = 60.0
        package init() {}
    }

    /// Why there is no server: where it cannot listen, and what to do.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where to listen.
    package enum Endpoint: Sendable, Hashable {
        /// An address of the loopback interface.
        case tcp(host: String, port: Int)
        /// A listening socket, which the server closes: one that systemd has passed, or of the program's own.
        case inherited(Int32)
    }

    /// Bytes that the kernel holds for one client: some 50 reports with their satellites.
    private static let sendBuffer: CInt = 65_536
    /// Bytes beyond which a client is behind.
    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 16_384)

    private let group: MultiThreadedEventLoopGroup
    private let users: NIOLoopBound<Users>
    private let listeners: [any Channel]
    private let idleness: AsyncStream<Void>

    /// Starts to listen. The server is ready when this returns.
    ///
    /// - Parameters:
    ///   - daemon: the path of the daemon's control socket.
    ///   - idleExit: seconds without a connection after which ``idle()`` returns; `nil` for never.
    /// - Throws: ``Failure``.
    package init(
        _ endpoints: [Endpoint], daemon: String, limits: Limits = Limits(), idleExit: Double? = nil, logger: Logger
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let users = try await eventLoop.submit {
            NIOLoopBound(
                Users(daemon: daemon, limits: limits, eventLoop: eventLoop, logger: logger), eventLoop: eventLoop)
        }.get()
        let (idleness, idled) = AsyncStream.makeStream(of: Void.self)
        let connections = try await eventLoop.submit {
            NIOLoopBound(Connections(idleExit: idleExit, on: eventLoop) { idled.yield() }, eventLoop: eventLoop)
        }.get()
        var listeners: [any Channel] = []
        for endpoint in endpoints {
            let bootstrap = ServerBootstrap(group: eventLoop)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.socketOption(.so_sndbuf), value: .init(Self.sendBuffer))
                .childChannelOption(.writeBufferWaterMark, value: Self.waterMark)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let client = GPSDClient(channel, stalledTimeout: limits.stalledTimeout) { [channel] in
                            users.value.feed(for: $0, over: channel)
                        }
                        connections.value.add(channel)
                        try channel.pipeline.syncOperations.addHandler(client)
                    }
                }
            do {
                switch endpoint {
                case .tcp(let host, let port):
                    listeners.append(try await bootstrap.bind(host: host, port: port).get())
                case .inherited(let descriptor):
                    listeners.append(try await bootstrap.withBoundSocket(descriptor).get())
                }
            } catch {
                for listener in listeners { try? await listener.close().get() }
                try? await group.shutdownGracefully()
                throw Failure(endpoint, error)
            }
        }
        (self.group, self.users, self.listeners, self.idleness) = (group, users, listeners, idleness)
        let all = listeners
        try await eventLoop.submit { connections.value.listen(all) }.get()
    }

    /// Returns when no client has been connected for long enough, or the task is cancelled; no connection is accepted
    /// then.
    package func idle() async {
        for await _ in idleness { return }
    }

    /// Where it listens.
    package var addresses: [String] {
        listeners.compactMap { listener in
            guard let address = listener.localAddress else { return nil }
            if let path = address.pathname { return path }
            let host = address.ipAddress ?? "?"
            return "\(host.contains(":") ? "[\(host)]" : host):\(address.port ?? 0)"
        }
    }

    /// Closes every connection.
    package func stop() async {
        for listener in listeners { try? await listener.close().get() }
        let users = users
        try? await group.next().submit { users.value.end() }.get()
        try? await group.shutdownGracefully()
    }
}

extension GPSDServer.Failure {
    fileprivate init(_ endpoint: GPSDServer.Endpoint, _ error: any Error) {
        let code = (error as? IOError)?.errnoCode
        let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
        switch endpoint {
        case .tcp(let host, let port):
            let advice =
                code == EADDRINUSE
                ? "another program listens there, such as gpsd at 2947; choose another port" : "choose another address"
            description = "cannot listen at \(host) port \(port): \(reason); \(advice)"
        case .inherited(let descriptor):
            description = "cannot listen on the socket of descriptor \(descriptor): \(reason); check its .socket unit"
        }
    }
}
