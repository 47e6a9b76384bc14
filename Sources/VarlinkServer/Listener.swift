package import NIOCore
import NIOPosix
import Varlink

/// Accepts connections on one socket and hands each to whoever serves it.
package enum Listener {
    /// - Parameters:
    ///   - sendBuffer: bytes the kernel may hold for one client; it doubles the number.
    ///   - accept: called on the event loop for each new connection, with its descriptor; returns its owner, or
    ///     `nil` to close it at once.
    package static func start(
        _ socket: consuming ListeningSocket, on group: any EventLoopGroup, input: Connection.Input = .calls,
        sendBuffer: Int,
        requestLimit: @autoclosure @escaping @Sendable () -> Int,
        accept: @escaping @Sendable (Connection, _ descriptor: Int32) -> (any ConnectionOwner)?
    ) async throws -> any Channel {
        let descriptor = socket.release()
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            // Few at a time: whoever connects in a loop takes turns with the clients that are here.
            .serverChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_sndbuf), value: sendBuffer)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let descriptor =
                        try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 } ?? -1
                    let connection = Connection(
                        channel: channel, descriptor: descriptor, input: input, requestLimit: requestLimit(),
                        encoder: MessageEncoder())
                    try admit(connection) { accept($0, descriptor) }
                }
            }
            .withBoundSocket(descriptor)
            .get()
    }

    /// Gives a connection whose channel is not yet active to who serves it.
    /// - Throws: if nobody does; the channel is to be closed.
    package static func admit(
        _ connection: Connection, _ accept: (Connection) -> (any ConnectionOwner)?
    ) throws {
        guard let owner = accept(connection) else { throw Unwelcome() }
        connection.owner = owner
        try connection.channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection))
    }
}

/// Nobody wants the connection; NIO closes it.
private struct Unwelcome: Error {}
