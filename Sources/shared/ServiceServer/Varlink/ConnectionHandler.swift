package import NIOCore

/// Passes the channel's input, end of input and end to the ``Connection``.
package final class ConnectionHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data))
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { connection.inputEnded() }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        connection.ended()
        context.fireChannelInactive()
    }

    /// A channel that is closed before it became active gets no `channelInactive`.
    package func handlerRemoved(context: ChannelHandlerContext) {
        connection.ended()
    }

    /// A reset or a broken pipe ends this client's connection only.
    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
