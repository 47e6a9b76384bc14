import Glibc
package import NIOCore
package import NIOPosix

/// The sockets at which programs reach a service of its own.
package struct ServiceSockets: Sendable {
    /// Where to listen.
    package enum Endpoint: Sendable, Hashable, CustomStringConvertible {
        /// An address of the loopback interface.
        case tcp(host: String, port: Int)
        /// A listening socket, which the service closes: one that systemd has passed, or of the program's own.
        case inherited(Int32)

        package var description: String {
            switch self {
            case .tcp(let host, let port): Self.words(host, port)
            case .inherited(let descriptor): "the socket of descriptor \(descriptor)"
            }
        }

        fileprivate static func words(_ host: String, _ port: Int) -> String {
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// Where a service cannot listen, why, and what to do.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ endpoint: Endpoint, _ error: any Error, advice: String) {
            let code = (error as? IOError)?.errnoCode
            let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
            let next =
                switch endpoint {
                case .inherited: "check its .socket unit"
                case .tcp where code == EADDRINUSE: "another program listens there; \(advice)"
                case .tcp: "choose another address"
                }
            description = "cannot listen at \(endpoint): \(reason); \(next)"
        }
    }

    private let channels: [any Channel]

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - bootstrap: what to do with a connection.
    ///   - advice: what to do where another program listens.
    /// - Throws: where it cannot listen; then it listens nowhere.
    package init(
        _ endpoints: [Endpoint], by bootstrap: ServerBootstrap, advice: String
    ) async throws(Failure) {
        let bootstrap =
            bootstrap
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        var channels: [any Channel] = []
        for endpoint in endpoints {
            do {
                switch endpoint {
                case .tcp(let host, let port):
                    channels.append(try await bootstrap.bind(host: host, port: port).get())
                case .inherited(let descriptor):
                    channels.append(try await bootstrap.withBoundSocket(descriptor).get())
                }
            } catch {
                for channel in channels { try? await channel.close().get() }
                throw Failure(endpoint, error, advice: advice)
            }
        }
        self.channels = channels
    }

    package var addresses: [SocketAddress] { channels.compactMap(\.localAddress) }

    /// Accepts no connection any more; new ones wait in the backlogs, for the next process. On the event loop only.
    package func stopAccepting() {
        for channel in channels { try? channel.syncOptions?.setOption(.autoRead, value: false) }
    }

    /// From here on the time passes for which the service may have no connection.
    ///
    /// - Returns: one element, when that time is over and no connection is accepted any more.
    package func idleness(
        of connections: NIOLoopBound<OpenConnections>, on eventLoop: any EventLoop
    ) async throws -> AsyncStream<Void> {
        let (idleness, idled) = AsyncStream.makeStream(of: Void.self)
        try await eventLoop.submit {
            connections.value.begin {
                stopAccepting()
                idled.yield()
            }
        }.get()
        return idleness
    }

    package func close() async {
        for channel in channels { try? await channel.close().get() }
    }
}

extension SocketAddress {
    /// As people write it: a path, or address and port.
    package var words: String {
        pathname ?? ServiceSockets.Endpoint.words(ipAddress ?? "?", port ?? 0)
    }
}
