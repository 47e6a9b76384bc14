@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
import NIOPosix
import ProgramTestSupport
import ServiceServer
import Synchronization
import Testing
import Varlink

/// Calls to the daemon by services, and how many connections they cost.
@Suite(.timeLimit(.minutes(10)))
struct DaemonCallTests {
    /// A daemon that answers each call by its number, the connection's and the call's.
    private final class CountingDaemon: Sendable {
        let folder: TemporaryFolder
        let path: String
        private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        private let state = Mutex((connections: 0, open: 0))
        private let channels = Mutex<[any Channel]>([])
        private let server = Mutex<(any Channel)?>(nil)

        /// - Parameter error: what each call is answered, instead of a reply.
        init(error: String? = nil) async throws {
            folder = try TemporaryFolder()
            path = folder("socket")
            let channel = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    let number = self.state.withLock { state in
                        state = (state.connections + 1, state.open + 1)
                        return state.connections
                    }
                    self.channels.withLock { $0.append(channel) }
                    channel.closeFuture.whenComplete { _ in self.state.withLock { $0.open -= 1 } }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Answerer(number: number, error: error))
                    }
                }
                .bind(unixDomainSocketPath: path).get()
            server.withLock { $0 = channel }
        }

        var connections: Int { state.withLock(\.connections) }
        var open: Int { state.withLock(\.open) }

        func closeConnections() async throws {
            for channel in channels.withLock(\.self) { try? await channel.close() }
            try await eventually("they are closed") { self.open == 0 }
        }

        func end() async throws { try await group.shutdownGracefully() }
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let (number, error): (Int, String?)
        private var calls = 0

        init(number: Int, error: String?) { (self.number, self.error) = (number, error) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            for byte in unwrapInboundIn(data).readableBytesView where byte == 0 {
                calls += 1
                let head = error.map { #""error":"\#($0)","# } ?? ""
                let text = "{\(head)\"parameters\":{\"connection\":\(number),\"call\":\(calls)}}\0"
                context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            }
        }
    }

    private struct Count: Decodable, Equatable { var connection: Int, call: Int }

    private func count(
        _ daemon: CountingDaemon, _ method: String = LocationInterface.Method.getStatus, uid: UInt32 = 7,
        label: String = "a test"
    ) async throws -> Count {
        let program = ServedProgram(uid: uid, label: label)
        // A loaded machine may take longer than the usual limit.
        return try await DaemonCall.reply(to: method, NoParameters(), for: program, at: daemon.path, within: 60)
            .parameters(as: Count.self)
    }

    private func run(error: String? = nil, _ body: (CountingDaemon) async throws -> Void) async throws {
        let daemon = try await CountingDaemon(error: error)
        do {
            try await body(daemon)
        } catch {
            try await daemon.end()
            throw error
        }
        try await daemon.end()
    }

    @Test func callsOfOneProgramInARowShareAConnection() async throws {
        try await run { daemon in
            let beginning = ContinuousClock.now
            for _ in 0..<20 { _ = try await count(daemon) }
            // Each is used for three seconds: a loaded machine needs more of them.
            let limit = 2 + Int((ContinuousClock.now - beginning) / .seconds(3))
            #expect((1...limit).contains(daemon.connections), "\(daemon.connections) instead of \(limit)")
        }
    }

    @Test func anotherProgramHasItsOwn() async throws {
        try await run { daemon in
            let first = try await count(daemon)
            let (user, label) = try await (count(daemon, uid: 8), count(daemon, label: "another"))
            #expect(Set([first.connection, user.connection, label.connection]).count == 3)
        }
    }

    @Test func idleConnectionIsClosedAfterItsTime() async throws {
        try await run { daemon in
            _ = try await count(daemon)
            try await eventually("it is closed") { daemon.open == 0 }
        }
    }

    @Test func callSurvivesADaemonThatWasRestarted() async throws {
        try await run { daemon in
            _ = try await count(daemon)
            try await daemon.closeConnections()
            let answer = try await count(daemon)
            #expect(answer == Count(connection: 2, call: 1))
        }
    }

    /// It might be made twice.
    @Test func callThatChangesSomethingHasItsOwnConnection() async throws {
        try await run { daemon in
            for _ in 0..<3 {
                let answer = try await count(daemon, LocationInterface.Method.changeRegions)
                #expect(answer.call == 1)
            }
            #expect(daemon.connections == 3)
        }
    }

    @Test func connectionEndsWithAnError() async throws {
        try await run(error: LocationInterface.Failure.tooManyRequests) { daemon in
            for _ in 0..<2 {
                let reply = try await DaemonCall.reply(
                    to: LocationInterface.Method.getStatus, NoParameters(),
                    for: ServedProgram(uid: 7, label: "a test"), at: daemon.path)
                #expect(reply.error == LocationInterface.Failure.tooManyRequests)
            }
            #expect(daemon.connections == 2)
            try await eventually("both are closed") { daemon.open == 0 }
        }
    }
}
