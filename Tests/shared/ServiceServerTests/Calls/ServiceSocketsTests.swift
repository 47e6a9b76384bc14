import Glibc
import NIOCore
import NIOPosix
import ProgramTestSupport
import ServiceServer
import Testing

/// The sockets at which a service is reached: what is said of one that cannot be used, and who serves whom.
@Suite struct ServiceSocketsTests {
    private let folder: TemporaryFolder
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    init() throws { folder = try TemporaryFolder() }

    private func listen(_ endpoints: [ServiceSockets.Endpoint]) async throws(ServiceSockets.Failure) -> ServiceSockets {
        try await ServiceSockets(endpoints, by: ServerBootstrap(group: loop), advice: "choose another port")
    }

    /// Returns when the event loop has accepted a connection that was made after all others.
    private func awaitAccepting() async throws {
        let accepted = ValueRecorder<Void>()
        let bootstrap = ServerBootstrap(group: loop).childChannelInitializer { channel in
            accepted.append(())
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let path = folder("last.sock")
        let sockets = try await ServiceSockets(
            [.inherited(try SocketFile.listener(at: path))], by: bootstrap, advice: "")
        let client = try SocketFile.connection(to: path)
        defer { close(client) }
        try await eventually("the last connection is accepted") { accepted.count == 1 }
        try await loop.submit {}.get()
        await sockets.close()
    }

    @Test func addressesAreThoseThatItWasGiven() async throws {
        let path = folder("service.sock")
        let sockets = try await listen([
            .inherited(try SocketFile.listener(at: path)), .tcp(host: "127.0.0.1", port: 0),
        ])
        let port = try #require(sockets.addresses.last?.port)
        #expect(sockets.addresses.map(\.words) == [path, "127.0.0.1:\(port)"] && port > 0)
        #expect(ServiceSockets.Endpoint.tcp(host: "::1", port: 2947).description == "[::1]:2947")
        await sockets.close()
    }

    @Test func takenPortIsSaidAndTheOtherSocketsAreClosed() async throws {
        let taken = try LoopbackListener()
        let path = folder("service.sock")
        let listener = try SocketFile.listener(at: path)
        let failure = await #expect(throws: ServiceSockets.Failure.self) {
            _ = try await listen([.inherited(listener), .tcp(host: "127.0.0.1", port: Int(taken.port))])
        }
        #expect(
            failure?.description
                == "cannot listen at 127.0.0.1:\(taken.port): Address already in use; "
                + "another program listens there; choose another port")
        #expect(throws: (any Error).self, "nobody listens at the first") { try SocketFile.connection(to: path) }
    }

    @Test func descriptorThatIsNoSocketIsSaid() async throws {
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let failure = await #expect(throws: ServiceSockets.Failure.self) { _ = try await listen([.inherited(file)]) }
        #expect(
            failure?.description.hasPrefix("cannot listen at the socket of descriptor \(file): ") == true,
            "\(failure?.description ?? "")")
        #expect(failure?.description.hasSuffix("; check its .socket unit") == true)
    }

    /// Whoever connects to a service that ends is served by the next process.
    @Test func whoComesTooLateWaitsForTheNextProcess() async throws {
        let path = folder("service.sock")
        let listener = try SocketFile.listener(at: path)
        let next = dup(listener)
        defer { close(next) }
        let sockets = try await listen([.inherited(listener)])
        try await loop.submit { sockets.stopAccepting() }.get()
        let client = try SocketFile.connection(to: path)
        defer { close(client) }
        try await awaitAccepting()
        await sockets.close()
        let accepted = accept(next, nil, nil)
        #expect(accepted >= 0, "\(String(cString: strerror(errno)))")
        if accepted >= 0 { close(accepted) }
    }
}
