import Configuration
import Logging
import NIOCore
import NIOPosix
import VarlinkServer

/// The socket and the event loop that serves it.
final class PlacesServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let service: NIOLoopBound<PlacesService>
    private let listener: any Channel
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
        user: @escaping @Sendable (Int32) -> UInt32? = PlacesService.peerUser
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let timers = timers ?? .machine(on: loop)
        let (idleness, idled) = AsyncStream.makeStream(of: Void.self)
        let service = try await loop.submit {
            NIOLoopBound(
                PlacesService(
                    loop: loop, limits: limits, providers: providers, timers: timers, logger: logger, user: user),
                eventLoop: loop)
        }.get()
        let listener = try await Listener.start(
            socket, on: group, sendBuffer: Self.sendBuffer, requestLimit: Self.requestLimit
        ) { service.value.accept($0, descriptor: $1) }
        if let idleExit {
            try await loop.submit {
                let exit = IdleExit(after: idleExit, timers: timers, loop: loop) {
                    guard service.value.isIdle else { return false }
                    // From here on who connects waits in the socket's queue, for whoever is started next.
                    listener.close(promise: nil)
                    idled.yield()
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
        try? await listener.close().get()
        let service = service
        let loop = group.next()
        let isQuiet = try? await loop.flatSubmit { service.value.finish(within: .seconds(1)) }.get()
        // A task that is still at work must find its event loop; it ends with the process.
        if isQuiet == true { try? await group.shutdownGracefully() }
    }
}
