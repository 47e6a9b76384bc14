import NIOCore
import NIOHTTP1

/// Closes a connection on which many requests wait for answers: they are kept decoded, at many times their bytes.
/// Browsers send the next request after the answer to the one before.
///
/// Ownership: everything belongs to the channel's event loop.
final class RequestBacklog: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The most requests that may have begun and not been answered.
    static let limit = 8
    /// Bytes of one read, which bound what is decoded beyond the limit and what waits decoded of bodies.
    static let readSize = 4096

    private var waiting = 0
    private var isClosed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else { return }
        if case .head = unwrapInboundIn(data) { waiting += 1 }
        guard waiting <= Self.limit else {
            isClosed = true
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { waiting -= 1 }
        context.write(data, promise: promise)
    }
}
