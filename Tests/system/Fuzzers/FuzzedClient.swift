import LocationHub
@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import ServiceServer
import Varlink

@testable import LocationServer

/// A client on a channel without a socket, and what it is told.
///
/// Rules: each message is whole, JSON ended by NUL, and an error has a name; there are no more last replies than there
/// were calls; who may not know, before and after a step, is told no position in it, and who may know roughly none that
/// is exact.
final class FuzzedClient {
    let connection: Connection
    let inbox: Inbox
    private let channel: EmbeddedChannel
    private let hasSentences: Bool
    private var calls = 0
    private var answers = 0

    init(on loop: EmbeddedEventLoop, number: Int, hasSentences: Bool, requestLimit: Int) throws {
        let inbox = Inbox()
        channel = EmbeddedChannel(loop: loop)
        connection = Connection(
            channel: channel, descriptor: Int32(number), sendNow: { inbox.offer($1) },
            input: hasSentences ? .nothing : .calls, requestLimit: requestLimit, encoder: MessageEncoder())
        self.inbox = inbox
        self.hasSentences = hasSentences
        try channel.pipeline.syncOperations.addHandlers([inbox, ConnectionHandler(connection)])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
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
        inbox.isReading = true
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// Checks what came.
    /// - Parameters:
    ///   - permissions: what the client had before and after the step; `nil` if somebody has decided about it.
    ///   - exact: the positions that receivers told.
    func read(permissions: [Permission]?, exact: [Coordinate]) {
        if hasSentences {
            for sentence in inbox.messages(endingIn: 0x0A) {
                Tally.count(.sentences)
                require(sentence.first == UInt8(ascii: "$") && sentence.last == 0x0D, "varlink: NMEA has its frame")
                let isPosition = sentence.dropFirst(3).starts(with: "GGA,".utf8) && sentence.dropFirst(7).first != 0x2C
                let mayKnow = permissions?.contains { $0.mayReceive } ?? true
                require(!isPosition || mayKnow, "varlink: not to be told: \(String(decoding: sentence, as: UTF8.self))")
            }
        } else {
            for message in inbox.messages(endingIn: 0) { check(message, permissions, exact) }
        }
        let isWhole = !inbox.isReading || !channel.isActive || !inbox.isInTheMiddle
        require(isWhole, "varlink: a client that reads has whole messages")
    }

    private func check(_ message: [UInt8], _ permissions: [Permission]?, _ exact: [Coordinate]) {
        let text = String(decoding: message, as: UTF8.self)
        let reply = require("varlink: \(text) is a reply") { try Reply(message) }
        let told = require("varlink: \(text) has parameters") { try reply.parameters(as: Disclosure.self) }
        require(reply.error?.contains(".") ?? true, "varlink: an error has a name: \(text)")
        Tally.count(reply.error == nil ? .replies : .refusals)
        if !told.positions.isEmpty { Tally.count(.positions) }
        if !reply.continues { answers += 1 }
        // What breaks the protocol is answered too.
        require(answers <= calls + 1, "varlink: nobody asked for \(text)")
        guard let permissions else { return }
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
