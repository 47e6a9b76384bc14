import Glibc
package import LocationInterface
import LocationModel
package import NIOCore
import NIOPosix
package import Varlink

/// One connection to the daemon, for a program of one user.
///
/// Ownership: everything belongs to the event loop.
package final class DaemonConnection {
    package enum Input {
        case reply(Reply)
        /// The last input, with the reason in words.
        case ended(String)
    }

    private let eventLoop: any EventLoop
    private var channel: (any Channel)?
    private var receive: ((Input) -> Void)?

    /// Connects, and sends the call. `receive` is called with each reply, never before this returns.
    package init(
        to path: String, on eventLoop: any EventLoop, call: [UInt8], receive: @escaping (Input) -> Void
    ) {
        self.eventLoop = eventLoop
        self.receive = receive
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ReplyHandler { bound.value.handle($0) })
                }
            }
            .connect(unixDomainSocketPath: path)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    guard bound.value.receive != nil else { return channel.close(promise: nil) }
                    bound.value.channel = channel
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

    /// Closes the connection; `receive` is not called any more.
    package func close() {
        receive = nil
        channel?.close(promise: nil)
        channel = nil
    }

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

    private let receive: (DaemonConnection.Input) -> Void
    private var rest: [UInt8] = []

    init(receive: @escaping (DaemonConnection.Input) -> Void) {
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        rest += unwrapInboundIn(data).readableBytesView
        while let end = rest.firstIndex(of: 0) {
            let message = Array(rest[..<end])
            rest.removeSubrange(...end)
            do {
                receive(.reply(try Reply(message)))
            } catch {
                receive(.ended("locationd sends what is no reply"))
                return context.close(promise: nil)
            }
        }
        guard rest.count > Self.limit else { return }
        receive(.ended("locationd sends a reply without end"))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
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
