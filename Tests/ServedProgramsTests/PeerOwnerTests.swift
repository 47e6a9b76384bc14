import Glibc
import NIOCore
import NIOPosix
import ServedPrograms
import TestSupport
import Testing

/// Whose a TCP connection is, by the kernel.
@Suite(.timeLimit(.minutes(3)))
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

    private func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
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
        try call("bind", withAddress(own) { bind(client, $0, $1) })
        let listener = whileListening ? try tcpSocket() : nil
        if let listener {
            try call("bind beside", withAddress(own) { bind(listener, $0, $1) })
            try call("listen", listen(listener, 1))
        }
        try call("device", setsockopt(client, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2))
        try call("connect", withAddress(port) { connect(client, $0, $1) })
        return (client, listener)
    }

    @Test func userOfTheClientsEndIsFound() async throws {
        let found = try await owner { port in
            let client = try tcpSocket()
            try call("connect", withAddress(port) { connect(client, $0, $1) })
            return client
        }
        #expect(found == .user(geteuid()))
    }

    /// The kernel does not find the connection of a socket that is bound to a device, and names a socket that listens at its port.
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
