package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
package import ServedPrograms

/// The HTTP server: where it listens, and how many connections there may be.
package final class WebServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let site: NIOLoopBound<WebSite>
    private let connections: NIOLoopBound<OpenConnections>
    /// The scheme and host by which the pages are opened.
    private let base: String
    private let sockets: ServiceSockets
    private let idleness: AsyncStream<Void>

    /// Starts to listen. The server is ready when this returns.
    ///
    /// - Parameter idleExit: seconds without a connection after which ``idle()`` returns; `nil` for never.
    /// - Throws: where it cannot listen, and what to do.
    package init(
        _ endpoints: [ServiceSockets.Endpoint], _ settings: WebSettings, files: StaticFiles, idleExit: Double? = nil,
        logger: Logger
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let connections = try await eventLoop.submit {
            NIOLoopBound(OpenConnections(after: idleExit, on: eventLoop), eventLoop: eventLoop)
        }.get()
        let promise = eventLoop.makePromise(of: NIOLoopBound<WebSite>.self)
        let ready = promise.futureResult
        let bootstrap = ServerBootstrap(group: eventLoop)
            // More than this would be old when a page that does not read resumes; the kernel doubles the first.
            .childChannelOption(.socketOption(.so_sndbuf), value: 16_384)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 1, high: 16_384))
            .childChannelInitializer { channel in
                ready.flatMap { site in
                    channel.eventLoop.makeCompletedFuture {
                        try Self.addHandlers(to: channel, site.value)
                        connections.value.add(channel)
                    }
                }
            }
        do {
            sockets = try await ServiceSockets(endpoints, by: bootstrap, advice: "name another port by --listen")
        } catch {
            promise.fail(error)
            try? await group.shutdownGracefully()
            throw error
        }
        // The hosts are known only now: a port may have been chosen by the kernel.
        let addresses = sockets.addresses
        let check = RequestCheck(ports: addresses.compactMap(\.port), names: settings.hosts)
        site = try await eventLoop.submit {
            let site = WebSite(settings, check: check, files: files, eventLoop: eventLoop, logger: logger)
            return NIOLoopBound(site, eventLoop: eventLoop)
        }.get()
        promise.succeed(site)
        let loopback = addresses.lazy.compactMap(\.loopbackHost).first
        // A proxy alone can be reached by others, and by TLS.
        base = loopback.map { "http://\($0)" } ?? "https://\(settings.hosts.first ?? "localhost")"
        (self.group, self.connections) = (group, connections)
        idleness = try await sockets.idleness(of: connections, on: eventLoop)
    }

    private static func addHandlers(to channel: any Channel, _ site: WebSite) throws {
        let browser: UInt32? =
            if !channel.isUnix, case .user(let uid) = PeerOwner(of: channel) { uid } else { nil }
        let owner = channel.isUnix ? ConnectionTable.Owner.proxy : browser.map { .user($0) } ?? .unknown
        // A proxy's connections are made by nobody whom the kernel could name; their requests are counted.
        guard channel.isUnix || site.shares.spend(of: browser ?? UserShares.strangers),
            let number = site.connections.enter(owner, close: { channel.close(promise: nil) })
        else { throw TooManyConnections() }
        let bound = NIOLoopBound(site.connections, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.leave(number) }
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8192, 16_384, 64)
        let decoder = HTTPRequestDecoder(limitConfiguration: limits)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(decoder), HTTPServerPipelineHandler(),
            WebConnection(site, number: number, browser: browser),
        ])
    }

    /// The port of the first listener of the Internet's protocols; `nil` if there is none.
    package var port: Int? { sockets.addresses.lazy.compactMap(\.port).first }

    /// A link that opens the pages once, within a minute.
    package func link(for principal: WebSessions.Principal) async throws -> String {
        let (site, connections) = (site, connections)
        let token = try await group.next().submit {
            connections.value.expectConnection(within: WebSessions.linkLifetime)
            return site.value.addLink(for: principal)
        }.get()
        return "\(base)/open?token=\(token)"
    }

    /// Returns when no browser has been connected for long enough, or the task is cancelled; no connection is accepted
    /// then.
    package func idle() async {
        for await _ in idleness { return }
    }

    /// Closes every connection.
    package func stop() async {
        await sockets.close()
        let site = site
        try? await group.next().submit { site.value.end() }.get()
        try? await group.shutdownGracefully()
    }
}

private struct TooManyConnections: Error {}

extension Channel {
    /// Behind a Unix socket is a proxy, whose user says nothing of the browser's.
    fileprivate var isUnix: Bool { localAddress?.protocol == .unix || localAddress == nil }
}

extension SocketAddress {
    /// This machine with the address's port; `nil` for a Unix socket.
    fileprivate var loopbackHost: String? {
        switch self {
        case .v4: port.map { "127.0.0.1:\($0)" }
        case .v6: port.map { "[::1]:\($0)" }
        case .unixDomainSocket: nil
        }
    }
}
