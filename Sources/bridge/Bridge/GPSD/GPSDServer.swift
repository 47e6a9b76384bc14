import GPSDProtocol
package import Logging
import NIOCore
import NIOPosix
package import ServiceServer

/// Serves programs that are written for gpsd. Each is sent what the daemon lets its user know.
package final class GPSDServer: Sendable {
    /// How many connections there may be, in all and of one user, how many requests, and how long is waited for them.
    package struct Limits: Sendable, Hashable {
        package var clients = 512
        package var clientsPerUser = 64
        /// Requests a second of one user, and twice as many at once after a rest, as at the daemon. A further one is
        /// counted for each KiB of them, and for each 8 KiB of their answers.
        package var requestsPerSecond = 100.0
        /// Seconds without reading after which a client that is behind is closed.
        package var stalledTimeout = 60.0
        /// Seconds for which requests wait for the daemon to list its receivers.
        package var receiversTimeout = 2.0
        /// Seconds for which the daemon may take to record a request for authorization.
        package var requestTimeout = 10.0
        package init() {}
    }

    /// Bytes that the kernel holds for one client that does not read: it takes twice as much of the unit's memory.
    static let sendBuffer: CInt = 32_768
    /// The same of a client's requests.
    static let receiveBuffer: CInt = 16_384
    /// Bytes that are read at once.
    static let mostRead = 4096
    /// Bytes beyond which a client is behind.
    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 16_384)

    private let group: MultiThreadedEventLoopGroup
    private let users: NIOLoopBound<Users>
    private let sockets: ServiceSockets
    private let idleness: AsyncStream<Void>

    /// Starts to listen. The server is ready when this returns.
    ///
    /// - Parameters:
    ///   - daemon: the path of the daemon's socket.
    ///   - estimates: whether programs are sent estimates in place of fixes.
    ///   - idleExit: seconds without a connection after which ``idle()`` returns; `nil` for never.
    ///   - log: what is told of outages; `nil` for one of its own.
    /// - Throws: where it cannot listen, and what to do.
    package init(
        _ endpoints: [ServiceSockets.Endpoint], daemon: String, limits: Limits = Limits(), estimates: Bool = false,
        idleExit: Double? = nil, logger: Logger, log: OutageLog? = nil
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let users = try await eventLoop.submit {
            NIOLoopBound(
                Users(
                    daemon: daemon, limits: limits, estimates: estimates, eventLoop: eventLoop, logger: logger,
                    log: log ?? OutageLog(logger)),
                eventLoop: eventLoop)
        }.get()
        let connections = try await eventLoop.submit {
            NIOLoopBound(OpenConnections(after: idleExit, on: eventLoop), eventLoop: eventLoop)
        }.get()
        let bootstrap = ServerBootstrap(group: eventLoop)
            // Connections inherit it: a client may have sent much before it is accepted.
            .serverChannelOption(.socketOption(.so_rcvbuf), value: .init(Self.receiveBuffer))
            .childChannelOption(.socketOption(.so_rcvbuf), value: .init(Self.receiveBuffer))
            .childChannelOption(.socketOption(.so_sndbuf), value: .init(Self.sendBuffer))
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.mostRead))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: Self.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let users = users.value
                    let client = GPSDClient(
                        channel, limits: users.limits, stalledTimeout: limits.stalledTimeout
                    ) { [channel] in users.feed(for: $0, over: channel) }
                    connections.value.add(channel)
                    try channel.pipeline.syncOperations.addHandler(client)
                }
            }
        do {
            sockets = try await ServiceSockets(
                endpoints, by: bootstrap, advice: "choose another port (gpsd itself listens at 2947)")
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        (self.group, self.users) = (group, users)
        idleness = try await sockets.idleness(of: connections, on: eventLoop)
    }

    /// Returns when no client has been connected for long enough, or the task is cancelled; no connection is accepted
    /// then.
    package func idle() async {
        for await _ in idleness { return }
    }

    /// Where it listens.
    package var addresses: [String] { sockets.addresses.map(\.words) }

    /// Closes every connection.
    package func stop() async {
        await sockets.close()
        let users = users
        try? await group.next().submit { users.value.end() }.get()
        try? await group.shutdownGracefully()
    }
}
