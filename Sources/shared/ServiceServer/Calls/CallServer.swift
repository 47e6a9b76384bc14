package import Logging
@_spi(Programs) package import SystemSupport

/// A Varlink service whose calls are answered in tasks of their own: its socket, and the event loop that serves it.
package final class CallServer<Answerer: CallAnswerer>: Sendable {
    private let loop: ServiceLoop
    private let dispatcher: LoopBound<CallDispatcher<Answerer>>
    private let listener: Listener
    private let idleness: AsyncStream<Void>

    /// Bytes the kernel may hold for one client, which the kernel doubles. Who may not know any more what an answer
    /// says can still read as much of it, and the rest of one reply.
    private static var sendBuffer: Int { 16_384 }
    /// The maximum size of one client's requests, bytes.
    private static var requestLimit: Int { 65_536 }

    /// Starts to listen. The server is ready when this returns.
    ///
    /// - Parameters:
    ///   - idleExit: seconds without a connection after which ``idle()`` returns; `nil` never.
    ///   - clock: replaced by tests.
    ///   - user: determines the user of a connection.
    package init(
        socket: consuming ListeningSocket, limits: CallLimits, idleExit: Double? = nil, answerer: Answerer,
        logger: Logger, clock: ServiceClock = .machine,
        user: @escaping @Sendable (Int32) -> UInt32? = Listener.peerUser
    ) async throws {
        let loop = ServiceLoop()
        let (idleness, idled) = AsyncStream.makeStream(of: Void.self)
        let (dispatcher, users) = try await loop.run {
            let dispatcher = CallDispatcher(
                loop: loop, limits: limits, answerer: answerer, clock: clock, logger: logger)
            return (loop.bind(dispatcher), loop.bind(dispatcher.users))
        }
        let endpoint = try Listener.Endpoint(
            socket, sendBuffer: Self.sendBuffer, requestLimit: Self.requestLimit
        ) { connection, _, caller in dispatcher.value.accept(connection, caller) }
        let listener = try Listener(
            [endpoint], on: loop, limits: users, connectionsPerSecond: limits.requestsPerSecond, user: user,
            // Connections of a trusted caller are for many users: its calls are counted by these.
            isExempt: { $0 == 0 || answerer.trustedCallers?.contains($0) == true }
        ) { dispatcher.value.connectionsRefused($0) }
        if let idleExit {
            try await loop.run {
                let exit = IdleExit(after: idleExit, clock: clock, loop: loop) {
                    guard dispatcher.value.isIdle else { return false }
                    // From here on new connections wait in the socket's backlog, for the next process.
                    listener.pause {
                        if dispatcher.value.isIdle { idled.yield() } else { listener.resume() }
                    }
                    return true
                }
                dispatcher.value.isUsed = { exit.isUsed($0) }
                exit.isUsed(!dispatcher.value.isIdle)
            }
        }
        self.loop = loop
        self.dispatcher = dispatcher
        self.listener = listener
        self.idleness = idleness
    }

    /// Returns when no client has been connected for long enough, or the task is cancelled; no connection is accepted
    /// then.
    package func idle() async {
        for await _ in idleness { return }
    }

    /// Ends within two seconds, whatever calls are pending.
    package func stop() async {
        await listener.close()
        let dispatcher = dispatcher
        let isQuiet = try? await loop.wait(for: { dispatcher.value.finish(within: 1) })
        // A task that still runs must find its event loop, which then ends with the process.
        if isQuiet == true { try? await loop.shutDown() }
    }
}
