package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
package import ServiceServer

/// The HTTP server: where it listens, and how many connections there may be.
package final class WebServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let site: NIOLoopBound<WebSite>
    private let connections: NIOLoopBound<OpenConnections>
    /// The scheme and host by which the pages are opened on this machine, and behind a proxy; `nil` if there is no such
    /// socket.
    private let (localBase, proxyBase): (String?, String?)
    private let sockets: ServiceSockets
    private let idleness: AsyncStream<Void>
    private let linkLifetime: Double

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
            // What is read at a time is decoded at once, whether or not the request before is answered.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: RequestBacklog.readSize)
            )
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
        localBase = addresses.lazy.compactMap(\.loopbackHost).first.map { "http://\($0)" }
        // A proxy alone can be reached by others, and by TLS.
        proxyBase = addresses.contains(where: \.isUnix) ? "https://\(settings.hosts.first ?? "localhost")" : nil
        (self.group, self.connections, linkLifetime) = (group, connections, settings.linkLifetime)
        idleness = try await sockets.idleness(of: connections, on: eventLoop)
    }

    private static func addHandlers(to channel: any Channel, _ site: WebSite) throws {
        // Behind a Unix socket is a proxy, whose user says nothing of the browser's.
        let browser: WebSessions.Browser =
            if channel.localAddress?.isUnix == true {
                .behindProxy
            } else if case .user(let uid) = PeerOwner(of: channel) {
                .user(uid)
            } else {
                .unknown
            }
        // A proxy's connections are made by nobody whom the kernel could name; their requests are counted.
        guard browser == .behindProxy || site.shares.spend(of: browser.uid ?? UserShares.strangers),
            let number = site.connections.enter(browser, close: { channel.close(promise: nil) })
        else { throw TooManyConnections() }
        let bound = NIOLoopBound(site.connections, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.leave(number) }
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8192, 16_384, 64)
        let decoder = HTTPRequestDecoder(limitConfiguration: limits)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(decoder), RequestBacklog(),
            HTTPServerPipelineHandler(),
            WebConnection(site, number: number, browser: browser),
        ])
    }

    /// The port of the first listener of the Internet's protocols; `nil` if there is none.
    package var port: Int? { sockets.addresses.lazy.compactMap(\.port).first }

    /// A link that opens the pages once, within a minute.
    ///
    /// - Parameters:
    ///   - opener: the user whose browser may open it on this machine.
    ///   - byProxy: whether it opens behind the proxy instead, where nobody knows whose browser it is. Without a socket
    ///     for browsers of this machine every link does.
    /// - Throws: ``NoProxy``, or `CancellationError` if the server ends.
    package func link(
        for principal: WebSessions.Principal, opener: UInt32, byProxy: Bool = false
    ) async throws -> String {
        if !byProxy, let localBase {
            return "\(localBase)/open?token=\(try await token(for: principal, opener: .user(opener)))"
        }
        guard let proxyBase else { throw NoProxy() }
        return "\(proxyBase)/open#\(try await token(for: principal, opener: .behindProxy))"
    }

    private func token(for principal: WebSessions.Principal, opener: WebSessions.Browser) async throws -> String {
        let (site, connections, linkLifetime) = (site, connections, linkLifetime)
        return try await group.next().submit {
            connections.value.expectConnection(within: linkLifetime)
            return site.value.addLink(for: principal, opener: opener)
        }.get()
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

/// There is no socket for a proxy.
package struct NoProxy: Error {}

extension SocketAddress {
    fileprivate var isUnix: Bool { self.protocol == .unix }

    /// This machine with the address's port; `nil` for a Unix socket.
    fileprivate var loopbackHost: String? {
        switch self {
        case .v4: port.map { "127.0.0.1:\($0)" }
        case .v6: port.map { "[::1]:\($0)" }
        case .unixDomainSocket: nil
        }
    }
}
