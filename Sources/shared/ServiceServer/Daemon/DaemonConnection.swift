import Glibc
@_spi(Programs) package import LocationInterface
@_spi(Programs) import LocationModel
package import NIOCore
import NIOPosix
package import Varlink

/// One connection to the daemon, for a program of one user.
///
/// Ownership: everything belongs to the event loop.
package final class DaemonConnection {
    package enum Input {
        case reply(Reply)
        /// A reply of a watch with nothing but a location or satellites, which more replies follow.
        case update(WatchReply)
        /// The last input, with the reason in words.
        case ended(String)
    }

    private let eventLoop: any EventLoop
    private var channel: (any Channel)?
    private var receive: ((Input) -> Void)?
    private let readComplete: () -> Void
    private var isReading = true

    /// Connects, and sends the call.
    ///
    /// - Parameters:
    ///   - readComplete: called soon after each `receive`, when nothing more has arrived, and at the end of the
    ///     connection.
    ///   - receive: called with each reply, never before this returns.
    package init(
        to path: String, on eventLoop: any EventLoop, call: [UInt8], readComplete: @escaping () -> Void = {},
        receive: @escaping (Input) -> Void
    ) {
        self.eventLoop = eventLoop
        self.readComplete = readComplete
        self.receive = receive
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ReplyHandler(readComplete: { bound.value.readComplete() }) { bound.value.handle($0) })
                }
            }
            .connect(unixDomainSocketPath: path)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    guard bound.value.receive != nil else { return channel.close(promise: nil) }
                    bound.value.channel = channel
                    bound.value.applyReading()
                    channel.writeAndFlush(ByteBuffer(bytes: call), promise: nil)
                case .failure(let error):
                    let code = (error as? IOError)?.errnoCode
                    let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
                    // Connecting may have failed at once.
                    eventLoop.assumeIsolated().execute {
                        bound.value.handle(.ended("locationd cannot be reached at \(path): \(reason)"))
                    }
                }
            }
    }

    /// Sends a further call, after the last reply to the former one.
    package func send(_ call: [UInt8]) { channel?.writeAndFlush(ByteBuffer(bytes: call), promise: nil) }

    /// Closes the connection; `receive` is not called any more.
    package func close() {
        receive = nil
        channel?.close(promise: nil)
        channel = nil
    }

    /// Whether more is read; while it is not, the service notices that, and waits.
    ///
    /// What has been read already is received all the same.
    package func setReading(_ isOn: Bool) {
        guard isOn != isReading else { return }
        isReading = isOn
        applyReading()
    }

    private func applyReading() { _ = channel?.setOption(.autoRead, value: isReading) }

    private func handle(_ input: Input) {
        guard let receive else { return }
        if case .ended = input { close() }
        receive(input)
    }
}

/// Splits what the daemon sends into replies.
private final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes; no reply of the daemon is as long.
    private static let limit = 4 << 20

    private let readComplete: () -> Void
    private let receive: (DaemonConnection.Input) -> Void
    private var messages = MessageBuffer(limit: ReplyHandler.limit)
    /// True if `readComplete` waits for what is read next.
    private var isPostponed = false

    init(readComplete: @escaping () -> Void, receive: @escaping (DaemonConnection.Input) -> Void) {
        self.readComplete = readComplete
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        messages.append(unwrapInboundIn(data).readableBytesView)
        while let message = messages.next() {
            do {
                if let update = WatchReply(reading: message) {
                    receive(.update(update))
                } else {
                    receive(.reply(try Reply(message)))
                }
            } catch {
                receive(.ended("locationd sends what is no reply"))
                return context.close(promise: nil)
            }
        }
        guard messages.isOverfull else { return }
        receive(.ended("locationd sends a reply without end"))
        context.close(promise: nil)
    }

    /// If more has arrived meanwhile, it is read first, once: a fix and its satellites come shortly after each other.
    func channelReadComplete(context: ChannelHandlerContext) {
        isPostponed = !isPostponed && isReadable(context)
        if !isPostponed { readComplete() }
        context.fireChannelReadComplete()
    }

    private func isReadable(_ context: ChannelHandlerContext) -> Bool {
        guard context.channel.isActive else { return false }
        let isReadable = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable {
            (descriptor: NIOBSDSocket.Handle) in
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) > 0
        }
        return isReadable == true
    }

    func channelInactive(context: ChannelHandlerContext) {
        readComplete()
        receive(.ended("locationd has closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// A request of a program that the bridge serves.
package struct ServedRequest<Request: Encodable>: Encodable {
    private let request: Request
    private let program: ServedProgram

    package init(request: Request, program: ServedProgram) {
        self.request = request
        self.program = program
    }

    package func encode(to encoder: any Encoder) throws {
        try request.encode(to: encoder)
        try ServedProgramParameters(program).encode(to: encoder)
    }
}
