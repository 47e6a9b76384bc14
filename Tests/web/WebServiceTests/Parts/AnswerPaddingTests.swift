@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import NIOHTTP1
import ProgramTestSupport
import Testing

@testable import WebService

/// The lengths of answers tell nothing of what is in them.
@Suite struct AnswerPaddingTests {
    /// The bytes that a chunk of HTTP/1.1 takes on the wire, by the encoder that the server uses.
    private func wireLength(_ events: ByteBuffer) throws -> Int {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder())
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/page")).wait()
        channel.write(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)), promise: nil)
        channel.flush()
        while try channel.readOutbound(as: ByteBuffer.self) != nil {}
        channel.write(HTTPServerResponsePart.body(.byteBuffer(events)), promise: nil)
        channel.flush()
        var length = 0
        while let part = try channel.readOutbound(as: ByteBuffer.self) { length += part.readableBytes }
        _ = try? channel.finish()
        return length
    }

    @Test func everyLengthBecomesOneOfFew() throws {
        var lengths: Set<Int> = []
        for count in 0..<9000 where count % 7 == 0 || (1000...1030).contains(count) || (4070...4100).contains(count) {
            var (chunk, plain) = (ByteBuffer(repeating: 120, count: count), ByteBuffer(repeating: 120, count: count))
            AnswerPadding.pad(&chunk, isChunked: true)
            AnswerPadding.pad(&plain, isChunked: false)
            lengths.formUnion([try wireLength(chunk), plain.readableBytes])
            lengths.insert(AnswerPadding.padded([UInt8](repeating: 120, count: count)).count)
        }
        #expect(lengths == [1024, 4096, 8192, 12_288])
    }

    /// Course and speed in all their digits, with and without satellites.
    @Test func lengthsOfDifferentFixesAreEqual() throws {
        var chance = SeededGenerator(seed: 11)
        /// A number with few or many digits, or none.
        func number(_ range: ClosedRange<Double>) -> Double? {
            let digits: Double = [1, 10, 1000, 1e9].randomElement(using: &chance) ?? 1
            let value = (Double.random(in: range, using: &chance) * digits).rounded() / digits
            return Bool.random(using: &chance) ? value : nil
        }
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/page")).wait()
        let written = ValueRecorder<ByteBuffer>()
        let page = LivePage(channel, session: "s", browser: .user(1000), now: { BootInstant(seconds: 1000) }) {
            written.append($0)
        }
        var plain: Set<Int> = []
        for sequence: Int64 in 1...500 {
            let coordinate = try #require(
                Coordinate(latitude: number(-90...90) ?? 1.0, longitude: number(-180...180) ?? 2.0))
            var location = Location(
                coordinate: coordinate, mode: .threeDimensional, monotonicTime: BootInstant(seconds: 1000),
                source: SourceInformation(name: "gpsd"))
            location.sequence = sequence
            (location.course, location.speed) = (number(0...360), number(0...400))
            (location.altitude, location.horizontalAccuracy) = (number(-100...9000), number(0...500))
            page.send(WatchReply(location: Aged(location, age: number(0...100) ?? 0.0)))
        }
        var lengths: Set<Int> = []
        for var events in written.values {
            plain.insert(events.readableBytes)
            AnswerPadding.pad(&events, isChunked: true)
            lengths.insert(try wireLength(events))
        }
        #expect(written.values.count == 500 && plain.count > 50)
        #expect(lengths == [AnswerPadding.block])
        _ = try? channel.finish()
    }
}
