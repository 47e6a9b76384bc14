import Glibc
import NIOCore
import NIOEmbedded

/// The kernel's side of one connection: it takes so many bytes that nobody has read, and the rest waits in the channel.
final class VirtualSocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    enum Happening {
        /// A whole message was handed over, without its NUL.
        case message([UInt8])
        /// Something waits in the channel.
        case fellBehind
        /// Nothing waits there any more.
        case drained
        case closed
        /// What a connection must never do.
        case fault(String)
    }

    let channel: EmbeddedChannel
    private let capacity: Int
    private let note: (Happening) -> Void
    private(set) var unread = 0
    private var queue: [(size: Int, promise: EventLoopPromise<Void>?)] = []
    private var unflushed: [(size: Int, promise: EventLoopPromise<Void>?)] = []
    private var begun: [UInt8] = []
    private(set) var isOutputEnded = false
    private(set) var isClosed = false
    /// The client reads no more, ever.
    var isPeerGone = false

    init(loop: EmbeddedEventLoop, capacity: Int, note: @escaping (Happening) -> Void) {
        channel = EmbeddedChannel(loop: loop)
        self.capacity = capacity
        self.note = note
    }

    var isBehind: Bool { !queue.isEmpty }
    /// Bytes in the channel.
    var waiting: Int { queue.reduce(0) { $0 + $1.size } }
    /// A message of which only a part was handed over.
    var hasTornMessage: Bool { !begun.isEmpty }

    /// False while the server does not want to read.
    var isReadingInput: Bool {
        channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool ?? true
    }

    // MARK: The server's side

    func sendNow(_ bytes: UnsafeRawBufferPointer) -> Int {
        if isClosed { note(.fault("a descriptor is used after its end")) }
        if isOutputEnded { note(.fault("something is sent after the last")) }
        if isBehind { note(.fault("bytes overtake those that wait in the channel")) }
        guard !isPeerGone, !isClosed else { return -Int(EPIPE) }
        let taken = min(bytes.count, capacity - unread)
        guard taken > 0 else { return -Int(EAGAIN) }
        unread += taken
        submit(bytes[..<taken])
        return taken
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let buffer = unwrapOutboundIn(data)
        unflushed.append((buffer.readableBytes, promise))
        if isOutputEnded { note(.fault("something is queued after the last")) }
        buffer.withUnsafeReadableBytes { submit($0[...]) }
    }

    func flush(context: ChannelHandlerContext) {
        guard !isPeerGone else { return context.close(promise: nil) }
        let wasBehind = isBehind
        queue += unflushed
        unflushed = []
        if !wasBehind, isBehind { note(.fellBehind) }
        moveOn()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else {
            if isBehind { note(.fault("the output ends over what waits")) }
            isOutputEnded = true
            promise?.succeed()
            return
        }
        guard !isClosed else {
            promise?.succeed()
            return
        }
        isClosed = true
        note(.closed)
        let lost = queue + unflushed
        queue = []
        unflushed = []
        for write in lost { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        context.close(mode: .all, promise: promise)
    }

    private func submit(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var rest = bytes
        while let end = rest.firstIndex(of: 0) {
            begun.append(contentsOf: rest[..<end])
            let message = begun
            begun = []
            note(.message(message))
            rest = rest[(end + 1)...]
        }
        begun.append(contentsOf: rest)
    }

    private func moveOn() {
        while !isClosed, let first = queue.first, unread < capacity {
            let moved = min(first.size, capacity - unread)
            unread += moved
            queue[0].size -= moved
            guard queue[0].size == 0 else { return }
            queue.removeFirst()
            if queue.isEmpty { note(.drained) }
            first.promise?.succeed()
        }
    }

    // MARK: The client's side

    func read(_ count: Int) {
        unread -= min(count, unread)
        // Linux tells of room when three quarters are free.
        if unread <= capacity / 4 { moveOn() }
    }

    func receive(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        // It fails for a channel that is closed.
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    func endInput() {
        guard !isClosed else { return }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// As the kernel tells that the other side is gone altogether.
    func hangUp() {
        isPeerGone = true
        channel.close(promise: nil)
    }
}
