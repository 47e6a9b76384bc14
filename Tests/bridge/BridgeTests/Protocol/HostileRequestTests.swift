import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDProtocol

struct HostileRequestTests {
    @Test func depthCostsNothing() {
        var parser = GPSDRequestParser()
        for bracket in ["[", "{", #"{"a":"#, "[{"] {
            let nested = String(repeating: bracket, count: 4000 / bracket.utf8.count)
            #expect(parser.receive("?WATCH={\"a\":\(nested)\n") == [.refused("Invalid WATCH: a bracket is not closed")])
        }
        let closed = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
        #expect(parser.receive("?WATCH={\"a\":\(closed)};\n") == [.watch(WatchChange())])
    }

    @Test(arguments: ["1e400", "-1e400", "9223372036854775808", "1e18", String(repeating: "9", count: 3000)])
    func hugeNumbersAreRefused(number: String) {
        var parser = GPSDRequestParser()
        for name in ["raw", "device"] {
            guard case .refused = parser.receive("?WATCH={\"\(name)\":\(number)};\n").first else {
                Issue.record("\(name) of \(number) is accepted")
                return
            }
        }
    }

    @Test func anAnswerIsBounded() throws {
        var session = GPSDSession()
        _ = session.lines(for: "?WATCH={\"enable\":true};\n")
        let satellites = (600...739).map { Satellite(gnss: "unknown", id: $0, used: true) }
        _ = session.applyReport(GPSDReport(SkyView(satellites, device: nil)))
        let answer = session.lines(for: String(repeating: "?POLL;\n", count: 5000))
        #expect(answer.count < 30 && answer.reduce(0) { $0 + $1.utf8.count } < 65_536 + GPSDReply.longestLine)
        #expect(answer.last == #"{"class":"ERROR","message":"Too many requests at once; read the answers first"}"#)
        #expect(session.lines(for: "?VERSION;\n") == GPSDReply.version.lines)
    }

    @Test func bytesThatAreNotUTF8AreRefusedInALineThatIs() throws {
        var session = GPSDSession()
        for bytes: [UInt8] in [
            [0xFF, 0xFE, 0x0A], [0x3F, 0xC3, 0x0A], [0x00, 0x01, 0x1B, 0x5B, 0x0A],
            Array(#"?WATCH={"device":""#.utf8) + [0xED, 0xA0, 0x80] + Array("\"};\n".utf8),
        ] {
            let answer = bytes.withUnsafeBytes { session.receive($0, at: Sample.now) }
            let line = try #require(answer.lines.first)
            #expect(answer.lines.count == 1 && line.hasPrefix(#"{"class":"ERROR","message":""#), "\(line)")
            #expect(answer.dropLast(2).allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character is escaped")
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
    }

    /// Whatever is received, each answer is a JSON object on a line of its own that clients can hold.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func mutatedRequestsAreAnsweredInLinesOfJSON(seed: UInt64) throws {
        let seeds = [
            #"?WATCH={"enable":true,"json":true,"nmea":false,"raw":1,"device":"/dev/ttyACM0"};"#, "?POLL;", "?DEVICES;",
            #"?DEVICE={"path":"/dev/ttyACM0"};"#, "?VERSION;?WATCH;", #"?WATCH={"a":[{"b":"\u00e9"}],"raw":2e0}"#,
        ].map { Array($0.utf8) }
        let tokens = [
            "\"", "\\", "{", "}", "[", "]", ":", ",", ";", "?", "\\u", "\\ud800", "1e999", "\u{0}", "\r", "=", "null",
        ].map { Array($0.utf8) }
        var generator = SeededGenerator(seed: seed)
        var session = GPSDSession(devices: [Sample.device])
        for _ in 0..<400 {
            var line = seeds.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0...line.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: line.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: place)
                case 1 where place < line.count: line.remove(at: place)
                case 2 where place < line.count: line[place] = UInt8.random(in: 0...255, using: &generator)
                default: line.append(contentsOf: line[..<place])
                }
            }
            line.append(0x0A)
            let answer = line.withUnsafeBytes { session.receive($0, at: Sample.now) }
            for text in answer.lines {
                #expect(text.utf8.count <= GPSDReply.longestLine)
                let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                #expect(object?["class"] is String, "\(text)")
            }
        }
    }
}
