import Foundation
import Glibc
import NIOCore
import NIOPosix
import ProgramTestSupport
import ServiceServer
import Testing

/// Whose a TCP connection is, by the kernel.
@Suite(.timeLimit(.minutes(10)))
struct PeerOwnerTests {
    /// The owner of the first connection to a server on this address, which `connect` makes.
    private func owner(
        at host: String = "127.0.0.1", _ connect: (_ port: UInt16) throws -> Int32
    ) async throws -> PeerOwner {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let owner = group.next().makePromise(of: PeerOwner.self)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                owner.succeed(PeerOwner(of: channel))
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: host, port: 0).get()
        let client = try connect(UInt16(server.localAddress?.port ?? 0))
        let found = try await owner.futureResult.get()
        close(client)
        try await group.shutdownGracefully()
        return found
    }

    private func call(_ what: StaticString, _ result: Int32) throws {
        guard result == 0 else { throw Failure("\(what): \(String(cString: strerror(errno)))") }
    }

    private func tcpSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var isOn: Int32 = 1
        try call("reuse", setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, 4))
        return descriptor
    }

    /// A connection from this port, of a socket that is bound to the loopback device.
    private func boundConnection(to port: UInt16, from own: UInt16, whileListening: Bool) throws -> (Int32, Int32?) {
        let client = try tcpSocket()
        try call("bind", Loopback.withAddress(own) { bind(client, $0, $1) })
        let listener = whileListening ? try tcpSocket() : nil
        if let listener {
            try call("bind beside", Loopback.withAddress(own) { bind(listener, $0, $1) })
            try call("listen", listen(listener, 1))
        }
        try call("device", setsockopt(client, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2))
        try call("connect", Loopback.withAddress(port) { connect(client, $0, $1) })
        return (client, listener)
    }

    @Test func userOfTheClientsEndIsFound() async throws {
        let found = try await owner { port in
            let client = try tcpSocket()
            try call("connect", Loopback.withAddress(port) { connect(client, $0, $1) })
            return client
        }
        #expect(found == .user(geteuid()))
    }

    /// The kernel does not find the connection of a socket that is bound to a device, and names a socket that listens
    /// at its port.
    @Test(arguments: [true, false])
    func listenerAtTheClientsPortIsNotTheClient(isThere: Bool) async throws {
        let port = try LoopbackPort.free()
        var listener: Int32?
        let found = try await owner { server in
            let (client, beside) = try boundConnection(to: server, from: UInt16(port), whileListening: isThere)
            listener = beside
            return client
        }
        if let listener { close(listener) }
        #expect(found == .unknown)
    }

    /// A client that is gone before the server accepts its connection, by an orderly end or by a reset.
    @Test(arguments: [false, true])
    func clientThatIsGoneIsUnknown(byReset: Bool) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let owner = group.next().makePromise(of: PeerOwner.self)
        let server = try await ServerBootstrap(group: group)
            .serverChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                owner.succeed(PeerOwner(of: channel))
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try tcpSocket()
        try call("connect", Loopback.withAddress(UInt16(server.localAddress?.port ?? 0)) { connect(client, $0, $1) })
        var lingering = linger(l_onoff: byReset ? 1 : 0, l_linger: 0)
        try call("linger", setsockopt(client, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size)))
        close(client)
        server.read()
        #expect(try await owner.futureResult.get() == .unknown)
        try await group.shutdownGracefully()
    }

    /// The same number of a user may be somebody else there, as in a container.
    @Test(.enabled(if: getuid() == 0, "a network namespace takes root"))
    func clientOfAnotherNetworkNamespaceIsUnknown() async throws {
        let script = """
            import os, socket, subprocess
            hand = socket.socket(fileno=0)
            hand.sendall(b"ready")
            port = int(hand.recv(16))
            subprocess.run(["ip", "address", "add", "10.83.0.2/24", "dev", "theirs"], check=True)
            subprocess.run(["ip", "link", "set", "theirs", "up"], check=True)
            connection = socket.create_connection(("10.83.0.1", port), 60)
            hand.recv(1)
            """
        let owner = try await onThreadWithItsOwnNetwork { [self] in
            let client = try AssistantProcess(["unshare", "--net"] + AssistantProcess.python(script))
            guard try receiveText(client.hand) == "ready" else { throw Failure("no client") }
            let cable = """
                ip link add ours type veth peer name theirs netns \(client.id) && ip address add 10.83.0.1/24 dev ours \
                && ip link set ours up && echo laid >&0
                """
            let fitter = try AssistantProcess(["sh", "-c", cable])
            guard try receiveText(fitter.hand) == "laid\n" else { throw Failure("no cable") }
            // Its thread has the network of the thread that makes it.
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            defer { group.shutdownGracefully { _ in } }
            let owner = group.next().makePromise(of: PeerOwner.self)
            let server = try ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    owner.succeed(PeerOwner(of: channel))
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "10.83.0.1", port: 0).wait()
            let port = Array("\(server.localAddress?.port ?? 0)".utf8)
            try call("port", Int32(send(client.hand, port, port.count, Int32(MSG_NOSIGNAL)) - port.count))
            return try owner.futureResult.wait()
        }
        #expect(owner == .unknown)
    }

    /// Runs this on a thread of its own with a network namespace of its own, which what it starts has, too.
    private func onThreadWithItsOwnNetwork<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        typealias Unshare = @convention(c) (Int32) -> Int32
        // Swift's module of the C library does not have it.
        let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
        let newNetwork: Int32 = 0x4000_0000
        return try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Result {
                        guard unshare(newNetwork) == 0 else { throw Failure("no network namespace: \(errno)") }
                        return try body()
                    })
            }.start()
        }
    }

    /// A client of IPv6 that reaches IPv4 has its address written in another way.
    @Test func clientWithAMappedAddressIsFound() async throws {
        let found = try await owner { port in
            let client = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            try call("address", inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr) - 1)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
            try call("connect", result)
            return client
        }
        #expect(found == .user(geteuid()))
    }
}
