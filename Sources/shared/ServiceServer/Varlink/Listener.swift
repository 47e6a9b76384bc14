import CLinux
import NIOCore
import NIOPosix
import Varlink

/// Accepts connections on a program's sockets and passes each to its owner.
package final class Listener: Sendable {
    /// A listening socket, and how its connections are served.
    package struct Endpoint: Sendable {
        /// Called on the event loop for each new connection, with its descriptor and its user; returns the owner of the
        /// connection, or `nil` to close it at once.
        package typealias Accept =
            @Sendable (Connection, _ descriptor: Int32, UserLimits.Caller) -> (any ConnectionOwner)?

        fileprivate let descriptor: Int32
        fileprivate let input: Connection.Input
        fileprivate let sendBuffer: Int
        fileprivate let requestLimit: @Sendable () -> Int
        fileprivate let accept: Accept

        /// Starts to listen; no connection is accepted before the listener is created.
        ///
        /// - Parameters:
        ///   - sendBuffer: bytes the kernel may hold for one client; the kernel doubles the number.
        ///   - requestLimit: the maximum size of a request, bytes.
        package init(
            _ socket: consuming ListeningSocket, input: Connection.Input = .calls, sendBuffer: Int,
            requestLimit: @autoclosure @escaping @Sendable () -> Int, accept: @escaping Accept
        ) throws {
            descriptor = try socket.listen()
            self.input = input
            self.sendBuffer = sendBuffer
            self.requestLimit = requestLimit
            self.accept = accept
        }
    }

    private let acceptor: Acceptor
    private let loop: any EventLoop

    /// The user who connected, according to the kernel.
    package static let peerUser: @Sendable (Int32) -> UInt32? = { descriptor in
        var peer = clinux_peer()
        return clinux_peer_credentials(descriptor, &peer) == 0 ? peer.uid : nil
    }

    /// Starts to accept.
    ///
    /// - Parameters:
    ///   - limits: the limits of the program's users: the rate of connections, and the turns of calls.
    ///   - isExempt: whether a user is exempt from the limits.
    ///   - connectsForOthers: whether a user's connections are exempt from the limits of one user. Called on the thread
    ///     that accepts, like `isExempt`.
    ///   - refused: called on the event loop with the number of connections that were closed unserved, because their
    ///     users connect too often.
    package init(
        _ endpoints: [Endpoint], on serviceLoop: ServiceLoop, limits: LoopBound<UserLimits>,
        connectionsPerSecond: Double,
        user: @escaping @Sendable (Int32) -> UInt32? = Listener.peerUser,
        isExempt: @escaping @Sendable (UInt32) -> Bool,
        connectsForOthers: @escaping @Sendable (UInt32) -> Bool = { _ in false },
        refused: @escaping @Sendable (Int) -> Void
    ) throws {
        let loop = serviceLoop.eventLoop
        self.loop = loop
        let acceptor = Acceptor(
            endpoints.map(\.descriptor), connectionsPerSecond: connectionsPerSecond, user: user, isExempt: isExempt,
            connectsForOthers: connectsForOthers
        ) { arrival, registered in
            loop.execute {
                Self.openConnection(arrival, at: endpoints[arrival.socket], on: loop, limits.value, registered)
            }
        } refused: { count in
            loop.execute { refused(count) }
        }
        guard let acceptor else { throw NoThread() }
        self.acceptor = acceptor
    }

    /// The limit of connections a second has changed.
    package func setLimit(connectionsPerSecond: Double) {
        acceptor.setLimit(connectionsPerSecond: connectionsPerSecond)
    }

    /// Stops accepting for a while; new connections wait.
    /// - Parameter paused: called on the event loop, after all connections accepted before have been admitted or
    ///   refused.
    package func pause(_ paused: @escaping @Sendable () -> Void) {
        let loop = loop
        acceptor.pause { loop.execute(paused) }
    }

    package func resume() { acceptor.resume() }

    /// Returns when the sockets are closed and no connection can arrive any more.
    package func close() async { await acceptor.end() }

    private static func openConnection(
        _ arrival: Acceptor.Arrival, at endpoint: Endpoint, on loop: any EventLoop, _ limits: UserLimits,
        _ registered: @escaping @Sendable () -> Void
    ) {
        guard !arrival.caller.isExempt else {
            return makeChannel(for: arrival, at: endpoint, on: loop).whenComplete { _ in
                // An event loop polls its connections only once no task is left. If each registered connection allowed
                // the next one at once, the loop would never notice closed connections.
                loop.scheduleTask(in: .milliseconds(1)) { registered() }
            }
        }
        limits.scheduler.perform(for: arrival.caller.uid) {
            let channel = makeChannel(for: arrival, at: endpoint, on: loop)
            if arrival.caller.connectsForOthers { channel.whenComplete { _ in registered() } }
        }
    }

    private static func makeChannel(
        for arrival: Acceptor.Arrival, at endpoint: Endpoint, on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.so_sndbuf), value: .init(endpoint.sendBuffer))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(
                        channel: channel, descriptor: arrival.descriptor, input: endpoint.input,
                        requestLimit: endpoint.requestLimit(), encoder: MessageEncoder())
                    try admit(connection) { endpoint.accept($0, arrival.descriptor, arrival.caller) }
                }
            }
            .withConnectedSocket(arrival.descriptor)
    }

    /// Passes a connection whose channel is not yet active to its owner.
    /// - Throws: if there is no owner; the channel is to be closed.
    package static func admit(
        _ connection: Connection, _ accept: (Connection) -> (any ConnectionOwner)?
    ) throws {
        guard let owner = accept(connection) else { throw ConnectionRefused() }
        connection.owner = owner
        try connection.channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection))
    }
}

/// The connection has no owner; NIO closes it.
private struct ConnectionRefused: Error {}

private struct NoThread: Error, CustomStringConvertible {
    let description = "no thread or descriptor is available; raise the limits of the service"
}
