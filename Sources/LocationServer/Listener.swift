import CLinux
package import NIOCore
import NIOPosix
import Varlink

/// Accepts connections on one socket and hands each to whoever serves it.
package enum Listener {
    /// Bytes the kernel may hold for one client. It counts a message of up to 700 bytes as 1,280 and one of up to
    /// 1,700 as 2,304, and doubles this number: a client that reads sees a burst of 50 fixes without loss, and one
    /// that resumes after a pause finds about as many old ones.
    package static let sendBuffer = 57_600

    /// The same for sentences of NMEA: the two of a fix count as 768.
    package static let sentenceBuffer = 19_200

    /// - Parameters:
    ///   - accept: called on the event loop for each new connection, with its descriptor; returns its owner, or
    ///     `nil` to close it at once.
    package static func start(
        _ socket: consuming ListeningSocket, on group: any EventLoopGroup, input: Connection.Input = .calls,
        requestLimit: @autoclosure @escaping @Sendable () -> Int,
        accept: @escaping @Sendable (Connection, _ descriptor: Int32) -> (any ConnectionOwner)?
    ) async throws -> any Channel {
        let descriptor = socket.release()
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            // Few at a time: whoever connects in a loop takes turns with the clients that are here.
            .serverChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_sndbuf), value: input == .calls ? sendBuffer : sentenceBuffer)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let descriptor =
                        try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 } ?? -1
                    let connection = Connection(
                        channel: channel, descriptor: descriptor, input: input, requestLimit: requestLimit(),
                        encoder: MessageEncoder())
                    guard let owner = accept(connection, descriptor) else { throw Unwelcome() }
                    connection.owner = owner
                    try pipeline.addHandler(ConnectionHandler(connection))
                }
            }
            .withBoundSocket(descriptor)
            .get()
    }
}

/// Nobody wants the connection; NIO closes it.
private struct Unwelcome: Error {}
