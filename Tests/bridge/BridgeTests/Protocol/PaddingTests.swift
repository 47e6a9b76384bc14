@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDProtocol
@testable import GPSDSource

/// What other users see of a TCP connection, its lengths, says nothing of what is in it.
struct PaddingTests {
    private let fixes: [Location]
    private let skies: [SkyView]

    init() throws {
        var generator = SeededGenerator(seed: 11)
        fixes = try (0..<300).map { _ in try Location.random(&generator) }
        skies = (0..<300).map { SkyView.random($0 % 21, &generator) }
    }

    private static func session(_ forms: String, isPadded: Bool = true) -> GPSDSession {
        var session = GPSDSession(devices: [Sample.device], isPadded: isPadded)
        _ = session.lines(for: #"?WATCH={"enable":true,\#(forms)};"# + "\n")
        return session
    }

    @Test func allFixesHaveOneLength() {
        var session = Self.session(#""json":true"#)
        let reports = fixes.map { session.applyReport(GPSDReport($0)) }
        #expect(Set(reports.map(\.count)) == [1024])
        #expect(reports.allSatisfy { $0.suffix(3) == Array("}\r\n".utf8) })
        #expect(session.applyReport(.noFix(device: Sample.path)).count == 1024)
        #expect(session.applyRefusal("No").count % 256 == 0)
    }

    @Test func fixesWithTheirSatellitesHaveOneLength() {
        var session = Self.session(#""json":true"#)
        let lengths = zip(fixes, skies).map {
            session.applyReport(GPSDReport($0)).count + session.applyReport(GPSDReport($1)).count
        }
        #expect(Set(lengths) == [1024 + 1792])
        var generator = SeededGenerator(seed: 12)
        for count in 18...140 {
            let sky = session.applyReport(GPSDReport(SkyView.random(count, &generator)))
            #expect(sky.count % 1792 == 0 && sky.count <= GPSDReply.longestLine)
        }
    }

    /// cgps 3.22 ends at a line that is longer than its terminal of 24 lines of 80 has places.
    @Test(arguments: 0...20)
    func usualSkyFitsIntoTheSmallestTerminal(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        var session = Self.session(#""json":true"#)
        #expect(session.applyReport(GPSDReport(SkyView.random(count, &generator))).count < 24 * 80)
    }

    @Test func polledFixesHaveOneLength() throws {
        let lengths = zip(fixes, skies).map { fix, sky in
            var session = GPSDSession(devices: [Sample.device], isPadded: true)
            _ = session.lines(for: #"?WATCH={"enable":true};"# + "\n")
            _ = session.applyReport(GPSDReport(fix))
            _ = session.applyReport(GPSDReport(sky))
            return session.bytes(for: "?POLL;\n").count
        }
        #expect(Set(lengths) == [4096])
        // As many as there may be: no line is longer than libgps can read.
        var session = GPSDSession(isPadded: true)
        _ = session.lines(for: #"?WATCH={"enable":true};"# + "\n")
        for device in 0..<4 {
            let satellites = (600...739).map { Satellite(gnss: "unknown", id: $0, used: true) }
            _ = session.applyReport(GPSDReport(SkyView(satellites, device: "/dev/\(device)")))
        }
        let longest = session.bytes(for: "?POLL;\n").count
        #expect(longest % 4096 == 0 || longest == GPSDReply.longestLine)
    }

    /// The sentences that readers know stay as they are, and what follows them is a sentence too.
    @Test func sentencesHaveOneLength() {
        var (padded, plain) = (Self.session(#""nmea":true"#), Self.session(#""nmea":true"#, isPadded: false))
        var lengths: Set<Int> = []
        for fix in fixes {
            let (bytes, sentences) = (padded.applyReport(GPSDReport(fix)), plain.applyReport(GPSDReport(fix)))
            lengths.insert(bytes.count)
            #expect(bytes.starts(with: sentences))
            for sentence in Array(bytes.dropFirst(sentences.count)).lines {
                #expect(sentence.hasPrefix("$PLOCD,") && (13...80).contains(sentence.utf8.count), "\(sentence)")
                let parts = sentence.dropFirst().split(separator: "*")
                #expect(parts.count == 2 && parts[0].utf8.reduce(0, ^) == UInt8(parts[1], radix: 16))
            }
        }
        #expect(lengths == [1024])
    }

    @Test func everyNumberOfSentencesBytesIsFilled() {
        for count in 1...2200 {
            let text = Array(repeating: UInt8(ascii: "x"), count: count)
            let padded = Padding.sentences(text)
            #expect(padded.count % 1024 == 0 && padded.count < count + 2048)
            #expect(Array(padded.dropFirst(count)).lines.allSatisfy { $0.utf8.count <= 80 })
        }
        #expect(Padding.sentences([]).isEmpty)
    }

    /// No blank stands behind a sentence's checksum, whatever a client is told beside sentences.
    @Test func answersArePaddedAtJSONAlone() {
        var session = GPSDSession(devices: [Sample.device], isPadded: true)
        _ = session.applyRefusal("No")
        let requests = [
            "?VERSION;", "?DEVICES;", "?DEVICE;", "?WATCH;", "?POLL;", "x", #"?WATCH={"nmea":true};"#,
            #"?WATCH={"enable":false};"#, #"?WATCH={"device":"/dev/none"};"#,
        ]
        for request in requests {
            let bytes = session.bytes(for: request + "\n")
            #expect(bytes.count % 256 == 0 && !bytes.isEmpty, "\(request) \(bytes.count)")
            #expect(bytes.lines.allSatisfy { $0.hasPrefix("{") || !$0.contains(" ") }, "\(bytes.text)")
            // Python's library leaves out other lines.
            #expect(bytes.lines.allSatisfy { $0.hasPrefix("{") == $0.hasSuffix("}") }, "\(bytes.text)")
        }
        let refusal = session.applyRefusal("Another reason")
        #expect(refusal.count % 256 == 0 && refusal.lines.contains { $0.hasPrefix("$GPRMC,,V") })
        #expect(refusal.lines.allSatisfy { $0.hasPrefix("{") || !$0.contains(" ") })
    }

    @Test func unixSocketsShowNoLengthsAndAreNotPadded() throws {
        var session = Self.session(#""json":true,"nmea":true"#, isPadded: false)
        let fix = GPSDReport(try Sample.location())
        #expect(session.applyReport(fix) == fix.bytes(in: [.json, .nmea]))
        #expect(!session.applyReport(fix).text.contains("  ") && !session.applyReport(fix).text.contains("PLOCD"))
    }

    @Test func libgpsReadsThemAsIfTheyWereNotPadded() throws {
        let unpacker = Unpacker()
        func unpack(_ report: GPSDReport, isPadded: Bool) throws -> Report {
            let line = Array(report.bytes(in: .json, isPadded: isPadded).dropLast(2))
            guard case .report(let kind, let facts) = MessageGate.passage(for: line),
                let report = unpacker.unpack(line, as: kind, facts: facts)
            else { throw Failure("libgps does not read \(line.text)") }
            return report
        }
        for report in fixes.map({ GPSDReport($0) }) + skies.map({ GPSDReport($0) }) {
            let (padded, plain) = (try unpack(report, isPadded: true), try unpack(report, isPadded: false))
            #expect("\(padded)" == "\(plain)")
        }
    }
}

extension GPSDSession {
    fileprivate mutating func bytes(for text: String) -> [UInt8] {
        Array(text.utf8).withUnsafeBytes { receive($0, at: Sample.now) }
    }
}
