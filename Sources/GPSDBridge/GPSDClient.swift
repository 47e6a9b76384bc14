import GPSDProtocol
import LocationModel
import Logging
import NIOCore
import SystemClock

/// A connection of a program that speaks gpsd's protocol.
///
/// A client that does not read misses reports, as with gpsd, and is closed after ``GPSDServer/Limits/stalledTimeout``; no other waits for it.
///
/// Ownership: everything belongs to the event loop.
final class GPSDClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The most bytes of answers that wait for a client; one that asks on without reading is closed.
    private static let unreadLimit = 262_144

    var session = GPSDSession()
    private let channel: any Channel
    private let stalledTimeout: Double
    private let serve: (GPSDClient) -> UserFeed?
    private var feed: UserFeed?
    private var behindSince: BootInstant?
    private var unread = 0
    private var isFlushed = true
    private(set) var missed = 0

    /// - Parameter serve: joins the client to what its user is sent; `nil` if it is refused, which was said to it.
    init(_ channel: any Channel, stalledTimeout: Double, serve: @escaping (GPSDClient) -> UserFeed?) {
        self.channel = channel
        self.stalledTimeout = stalledTimeout
        self.serve = serve
    }

    func channelActive(context: ChannelHandlerContext) {
        send(GPSDSession.greeting)
        feed = serve(self)
        guard feed != nil else { return context.close(promise: nil) }
        feed?.add(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let feed else { return }
        let answer = unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0, at: MachineClock.utc) }
        send(answer)
        feed.update()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func leave() {
        feed?.remove(self)
        feed = nil
    }

    func close() { channel.close(promise: nil) }

    /// Sends an answer, or what is seldom. It waits if the client does not read.
    func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        guard unread + bytes.count <= Self.unreadLimit else { return close() }
        unread += bytes.count
        isFlushed = true
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).assumeIsolated().whenComplete { [weak self] _ in
            self?.unread -= bytes.count
        }
    }

    /// Writes a report, or leaves it out if the client has not read those before. ``flush()`` sends it.
    func writeReport(_ buffer: ByteBuffer) {
        if !channel.isWritable {
            // Reports that were not sent yet say nothing about the client.
            flush()
            guard channel.isWritable else { return miss() }
        }
        behindSince = nil
        isFlushed = false
        channel.write(buffer, promise: nil)
    }

    /// Sends the reports that were written: several with one system call.
    func flush() {
        guard !isFlushed else { return }
        isFlushed = true
        channel.flush()
    }

    private func miss() {
        missed += 1
        let now = MachineClock.now
        let since = behindSince ?? now
        behindSince = since
        if now.seconds(since: since) > stalledTimeout { close() }
    }
}
