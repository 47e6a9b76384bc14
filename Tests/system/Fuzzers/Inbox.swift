import Glibc
import NIOCore

/// What a client has been sent, in the order in which it came, by the socket's side and by the channel's.
final class Inbox: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private var bytes: [UInt8] = []
    private var held: [(data: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    /// What the kernel still takes of what the client does not read.
    private var room = Int.max

    /// While the client does not read, the kernel takes some bytes more and the channel keeps the rest.
    var isReading = true {
        didSet {
            room = isReading ? .max : 100
            guard isReading else { return }
            let writes = held
            held = []
            for write in writes { take(write.data, write.promise) }
        }
    }

    /// As send(2) without waiting.
    func offer(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard room > 0 else { return -Int(EAGAIN) }
        let taken = min(room, bytes.count)
        self.bytes += bytes.prefix(taken)
        if room != .max { room -= taken }
        return taken
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let data = unwrapOutboundIn(data)
        guard isReading else { return held.append((data, promise)) }
        take(data, promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let writes = held
        held = []
        for write in writes { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        context.close(mode: mode, promise: promise)
    }

    private func take(_ data: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        bytes += data.readableBytesView
        promise?.succeed()
    }

    /// Takes the whole messages out.
    /// - Parameter end: the last byte of each; they are returned without it.
    func messages(endingIn end: UInt8) -> [[UInt8]] {
        guard let last = bytes.lastIndex(of: end) else { return [] }
        let whole = bytes[..<last].split(separator: end, omittingEmptySubsequences: false).map(Array.init)
        bytes.removeSubrange(...last)
        return whole
    }

    /// True if a message has begun and not ended.
    var isInTheMiddle: Bool { !bytes.isEmpty }
}
