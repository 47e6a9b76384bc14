@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import TestSupport
import Testing
import Varlink

/// The reply that is read by hand is the one that the decoder gives, or none.
@Suite struct WatchReplyReadingTests {
    private static let satellites: [Satellite] = {
        var first = Satellite(gnss: "GPS", id: 7, used: true)
        (first.azimuth, first.elevation, first.signal) = (0, -12.5, 1e-7)
        var second = Satellite(gnss: "unknown", id: -1, used: false)
        second.azimuth = 359.95
        return [first, second, Satellite(gnss: "", id: .max, used: true)]
    }()

    private func makeLocation() throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 52.5, longitude: -13)),
            mode: .threeDimensional, monotonicTime: BootInstant(nanoseconds: 67_011_380_619_128),
            source: SourceInformation(name: "gpsd", device: "/dev/ttyÄ0"))
        location.timestamp = UTCTime(seconds: 1_800_000_000, nanoseconds: 250_000_000)
        location.speed = 0
        location.errorEllipse = ErrorEllipse(
            semiMajorAxis: 4.5, semiMinorAxis: 1e-300, orientation: 90, isStandardDeviation: false)
        return location
    }

    private func decoded(_ message: [UInt8]) throws -> WatchReply {
        let reply = try Reply(message)
        #expect(reply.error == nil && reply.continues)
        return try reply.parameters()
    }

    @Test(arguments: [0, 1, 3])
    func satellitesAreWrittenAsTheEncoderDoesAndRead(_ count: Int) throws {
        let satellites = Array(Self.satellites.prefix(count))
        let written = try #require(WatchReply.encoded(satellites))
        let encoded = try MessageEncoder().reply(WatchReply(satellites: satellites), continues: true)
        #expect(written == encoded)
        let read = WatchReply(reading: written.dropLast())
        #expect(read == WatchReply(satellites: satellites))
    }

    @Test func listOfSatellitesHasALimit() throws {
        for (count, isRead) in [(1024, true), (1025, false)] {
            let satellites = Array(repeating: Satellite(gnss: "GPS", id: 1, used: true), count: count)
            let message = Array(try #require(WatchReply.encoded(satellites)).dropLast())
            #expect((WatchReply(reading: message)?.satellites?.count == count) == isRead)
            #expect(((try? decoded(message))?.satellites?.count == count) == isRead)
        }
    }

    @Test(arguments: [\ServiceStatus.sources, \.compasses])
    func listOfSourcesHasALimit(_ list: any WritableKeyPath<ServiceStatus, [RankedSource]?> & Sendable) throws {
        var status = ServiceStatus(
            authorization: .denied, accuracy: .full, enabled: true, source: SourceStatus(state: .lost))
        for (count, isRead) in [(256, true), (257, false)] {
            status[keyPath: list] = Array(repeating: RankedSource(name: "a", state: .lost), count: count)
            let message = try MessageEncoder().reply(WatchReply(status: status), continues: true).dropLast()
            #expect(((try? decoded(Array(message)))?.status == status) == isRead)
        }
    }

    @Test func satelliteWithoutFiniteNumbersIsNotWritten() {
        var satellite = Satellite(gnss: "GPS", id: 1, used: true)
        satellite.signal = .nan
        #expect(WatchReply.encoded([satellite]) == nil)
    }

    @Test func locationIsReadAsTheDecoderDoes() throws {
        let written = try #require(try Aged(makeLocation(), age: 0.25).watchReply()).dropLast()
        let read = try #require(WatchReply(reading: Array(written)))
        let decoded = try decoded(Array(written))
        #expect(read == decoded)
    }

    /// Whatever byte is lost, changed or inserted: what is read is what would be decoded.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func damagedRepliesAreReadAsTheyAreDecodedOrNotAtAll(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let messages = [
            try #require(try Aged(makeLocation(), age: 0.25).watchReply()),
            try #require(WatchReply.encoded(Self.satellites)),
        ]
        let bytes = Array(#"{}[]",:\0123456789+-.eEtrufalsn "#.utf8) + [0, 0x1F, 0x80, 0xC3, 0xFF]
        var count = 0
        for _ in 0..<4000 {
            var message = Array(messages[Int.random(in: 0...1, using: &generator)].dropLast())
            let index = Int.random(in: 0..<message.count, using: &generator)
            let byte = bytes.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0...3, using: &generator) {
            case 0: message.remove(at: index)
            case 1: message[index] = byte
            case 2: message.insert(byte, at: index)
            default: message.removeLast(message.count - index)
            }
            guard let read = WatchReply(reading: message) else { continue }
            count += 1
            let text = String(decoding: message, as: UTF8.self)
            #expect(read == (try? decoded(message)), "\(text)")
        }
        #expect(count > 100, "some are still valid")
    }

    @Test(arguments: [
        #"{"continues":true,"parameters":{}}"#, #"{"parameters":{"satellites":[]}}"#,
        #"{"continues":true,"error":"a.b","parameters":{}}"#,
        #"{"continues":true,"parameters":{"satellites":[]},"error":"a.b"}"#,
        #"{"continues":true,"parameters":{"dropped":1,"satellites":[]}}"#,
        #"{"continues":true,"parameters":{"satellites":[],"status":{}}}"#,
        #"{"continues":true,"parameters":{"satellites":[{"gnss":"a\"b","id":1,"used":true}]}}"#,
        #"{"continues":true,"parameters":{"satellites":[{"gnss":"GPS","id":1,"used":true},]}}"#,
        #"{"continues":true,"parameters":{"satellites":[{"gnss":"GPS","id":01,"used":true}]}}"#,
        #"{"continues":true,"parameters":{"satellites":[{"gnss":"GPS","id":1,"signal":1e999,"used":true}]}}"#,
        #"{"continues":true,"parameters":{"location":{"age":0}}}"#, "", "{", "[]",
    ])
    func anythingElseIsForTheDecoder(_ text: String) {
        #expect(WatchReply(reading: Array(text.utf8)) == nil)
    }
}
