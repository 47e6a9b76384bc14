import Logging
import NIOCore
import NIOPosix
import VarlinkServer

/// The socket and the event loop that serves it.
final class PlacesServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let service: NIOLoopBound<PlacesService>
    private let listener: Listener
    private let idleness: AsyncStream<Void>

    /// Bytes the kernel may hold for one client, which it doubles: an answer of a hundred places.
    private static let sendBuffer = 65_536
    /// The most bytes that the requests of one client may have.
    private static let requestLimit = 65_536

    /// Starts to listen; the server is ready when this returns.
    ///
    /// - Parameters:
    ///   - idleExit: seconds without a connection after which ``idle()`` returns; `nil` never.
    ///   - timers: what tests have instead of the machine's time.
    ///   - user: how the kernel is asked who connected.
    init(
        socket: consuming ListeningSocket, limits: PlacesConfiguration.Limits, idleExit: Double?, providers: Providers,
        logger: Logger, timers: Timers? = nil,
        user: @escaping @Sendable (Int32) -> UInt32? = Listener.peerUser
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let timers = timers ?? .machine(on: loop)
        let (idleness, idled) = AsyncStream.makeStream(of: Void.self)
        let (service, users) = try await loop.submit {
            let service = PlacesService(
                loop: loop, limits: limits, providers: providers, timers: timers, logger: logger)
            return (NIOLoopBound(service, eventLoop: loop), NIOLoopBound(service.users, eventLoop: loop))
        }.get()
        let endpoint = try Listener.Endpoint(
            socket, sendBuffer: Self.sendBuffer, requestLimit: Self.requestLimit
        ) { connection, _, caller in service.value.accept(connection, caller) }
        let listener = try Listener(
            [endpoint], on: loop, limits: users, connectionsPerSecond: limits.requestsPerSecond, user: user,
            isSpared: { $0 == 0 }
        ) { service.value.connectionsRefused($0) }
        if let idleExit {
            try await loop.submit {
                let exit = IdleExit(after: idleExit, timers: timers, loop: loop) {
                    guard service.value.isIdle else { return false }
                    // From here on who connects waits in the socket's queue, for whoever is started next.
                    listener.pause {
                        if service.value.isIdle { idled.yield() } else { listener.resume() }
                    }
                    return true
                }
                service.value.isUsed = { exit.isUsed($0) }
                exit.isUsed(!service.value.isIdle)
            }.get()
        }
        self.group = group
        self.service = service
        self.listener = listener
        self.idleness = idleness
    }

    /// Returns when nobody has been connected for long enough, or the task is cancelled; nobody is let in any more then.
    func idle() async {
        for await _ in idleness { return }
    }

    /// Ends within two seconds, whatever is being asked.
    func stop() async {
        await listener.close()
        let service = service
        let loop = group.next()
        let isQuiet = try? await loop.flatSubmit { service.value.finish(within: .seconds(1)) }.get()
        // A task that is still at work must find its event loop; it ends with the process.
        if isQuiet == true { try? await group.shutdownGracefully() }
    }
}
