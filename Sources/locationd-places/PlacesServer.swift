import Logging
import SystemClock
import VarlinkServer

/// The socket and the event loop that serves it.
final class PlacesServer: Sendable {
    private let loop: ServiceLoop
    private let service: LoopBound<PlacesService>
    private let listener: Listener
    private let idleness: AsyncStream<Void>

    /// Bytes the kernel may hold for one client, which the kernel doubles: an answer of a hundred places.
    private static let sendBuffer = 65_536
    /// The maximum size of one client's requests, bytes.
    private static let requestLimit = 65_536

    /// Starts to listen. The server is ready when this returns.
    ///
    /// - Parameters:
    ///   - idleExit: seconds without a connection after which ``idle()`` returns; `nil` never.
    ///   - clock: replaced by tests.
    ///   - user: determines the user of a connection.
    init(
        socket: consuming ListeningSocket, limits: PlacesConfiguration.Limits, idleExit: Double?, providers: Providers,
        logger: Logger, clock: ServiceClock = .machine,
        user: @escaping @Sendable (Int32) -> UInt32? = Listener.peerUser
    ) async throws {
        let loop = ServiceLoop()
        let (idleness, idled) = AsyncStream.makeStream(of: Void.self)
        let (service, users) = try await loop.run {
            let service = PlacesService(
                loop: loop, limits: limits, providers: providers, clock: clock, logger: logger)
            return (loop.bind(service), loop.bind(service.users))
        }
        let endpoint = try Listener.Endpoint(
            socket, sendBuffer: Self.sendBuffer, requestLimit: Self.requestLimit
        ) { connection, _, caller in service.value.accept(connection, caller) }
        let listener = try Listener(
            [endpoint], on: loop, limits: users, connectionsPerSecond: limits.requestsPerSecond, user: user,
            isExempt: { $0 == 0 }
        ) { service.value.connectionsRefused($0) }
        if let idleExit {
            try await loop.run {
                let exit = IdleExit(after: idleExit, clock: clock, loop: loop) {
                    guard service.value.isIdle else { return false }
                    // From here on new connections wait in the socket's backlog, for the next process.
                    listener.pause {
                        if service.value.isIdle { idled.yield() } else { listener.resume() }
                    }
                    return true
                }
                service.value.isUsed = { exit.isUsed($0) }
                exit.isUsed(!service.value.isIdle)
            }
        }
        self.loop = loop
        self.service = service
        self.listener = listener
        self.idleness = idleness
    }

    /// Returns when no client has been connected for long enough, or the task is cancelled; no connection is accepted
    /// then.
    func idle() async {
        for await _ in idleness { return }
    }

    /// Ends within two seconds, whatever calls are pending.
    func stop() async {
        await listener.close()
        let service = service
        let isQuiet = try? await loop.wait(for: { service.value.finish(within: 1) })
        // A task that still runs must find its event loop, which then ends with the process.
        if isQuiet == true { try? await loop.shutDown() }
    }
}
