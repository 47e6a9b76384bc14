import FoundationEssentials
import LocationHub
import LocationModel
import NIOCore
import NIOEmbedded
import Varlink
import VarlinkServer

@testable import LocationServer

/// A client on a channel without a socket, and what it is told.
///
/// Rules: each message is JSON ended by NUL, and an error has a name; there are no more last replies than there were
/// calls; who may not know, before and after a step, is told no position in it, and who may know roughly none that is
/// exact.
final class FuzzedClient {
    let channel: EmbeddedChannel
    let connection: Connection
    private let reading = Reading()
    private let hasSentences: Bool
    private var calls = 0
    private var answers = 0

    init(on loop: EmbeddedEventLoop, hasSentences: Bool, requestLimit: Int) throws {
        channel = EmbeddedChannel(loop: loop)
        self.hasSentences = hasSentences
        connection = Connection(
            channel: channel, descriptor: -1, input: hasSentences ? .nothing : .calls, requestLimit: requestLimit,
            encoder: MessageEncoder())
        try channel.pipeline.syncOperations.addHandlers([reading, ConnectionHandler(connection)])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
    }

    var isReading: Bool {
        get { reading.isReading }
        set { reading.isReading = newValue }
    }

    func send(_ bytes: ArraySlice<UInt8>) {
        calls += bytes.count { $0 == 0 }
        // A channel that is closed takes nothing, as a socket would.
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    func endInput() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    func leave() {
        isReading = true
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// Checks what came.
    /// - Parameters:
    ///   - permissions: what the client had before and after the step; `nil` if somebody has decided about it.
    ///   - exact: the positions that receivers told.
    func read(permissions: [Permission]?, exact: [Coordinate]) {
        while let buffer = (try? channel.readOutbound(as: ByteBuffer.self)) ?? nil {
            let bytes = Array(buffer.readableBytesView)
            if hasSentences {
                Tally.count(.sentences)
                require(bytes.first == UInt8(ascii: "$") && bytes.last == 0x0A, "varlink: NMEA has its frame")
                continue
            }
            require(bytes.last == 0 && !bytes.dropLast().contains(0), "varlink: a message is ended by NUL")
            let message = Array(bytes.dropLast())
            let text = String(decoding: message, as: UTF8.self)
            let reply = require("varlink: \(text) is a reply") { try Reply(message) }
            let told = require("varlink: \(text) has parameters") { try reply.parameters(as: Told.self) }
            require(reply.error?.contains(".") ?? true, "varlink: an error has a name: \(text)")
            Tally.count(reply.error == nil ? .replies : .refusals)
            if !told.positions.isEmpty { Tally.count(.positions) }
            if !reply.continues { answers += 1 }
            // What breaks the protocol is answered too.
            require(answers <= calls + 1, "varlink: nobody asked for \(text)")
            guard let permissions else { continue }
            if permissions.allSatisfy({ !$0.mayReceive }) {
                require(told.positions.isEmpty && !told.hasOthers, "varlink: not to be told: \(text)")
            } else if permissions.allSatisfy({ $0.accuracy != .full }) {
                let isRough = told.positions.allSatisfy { position in
                    position.isRough && !exact.contains { $0.latitude == position.latitude }
                }
                require(isRough && !told.hasOthers, "varlink: not to be told so precisely: \(text)")
            }
        }
    }
}

/// Keeps writes back while the client does not read.
private final class Reading: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var held: [(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?)] = []
    var isReading = true {
        didSet { if isReading { release() } }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isReading else { return context.writeAndFlush(data, promise: promise) }
        held.append((context, data, promise))
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        for write in held { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        held = []
        context.close(mode: mode, promise: promise)
    }

    private func release() {
        let writes = held
        held = []
        for write in writes { write.context.writeAndFlush(write.data, promise: write.promise) }
    }
}

/// What of a reply, or of an error's parameters, tells where the machine is.
private struct Told: Decodable {
    struct Position: Decodable {
        let latitude: Double
        let speed, course, altitude, climb, ellipsoidalAltitude, verticalAccuracy: Double?

        var isRough: Bool {
            [speed, course, altitude, climb, ellipsoidalAltitude, verticalAccuracy].allSatisfy { $0 == nil }
        }
    }
    private struct Report: Decodable { let location: Position? }
    private struct Monitor: Decodable { let reports: [Report] }
    private struct Stay: Decodable { let coordinate: Position? }
    private struct Anything: Decodable {}

    private let location, best: Position?
    private let region: Report?
    private let monitors: [Monitor]?
    private let visit, heading: Anything?
    private let satellites: [Anything]?

    var positions: [Position] {
        [location, best, region?.location].compactMap(\.self)
            + (monitors ?? []).flatMap { $0.reports.compactMap(\.location) }
    }

    /// Whether it tells what only those are told who may know everything.
    var hasOthers: Bool { heading != nil || satellites != nil }
}
