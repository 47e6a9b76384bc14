import Foundation
@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

@Suite struct RecordingTests {
    /// Bytes that are no recording, and what the error says about them.
    struct Fault: Sendable, CustomTestStringConvertible {
        var text: String
        var testDescription: String

        init(_ text: String, _ explanation: String) {
            self.text = text
            testDescription = explanation
        }
    }

    private static let header = #"{"format":"locationd-recording","version":1,"created":"2026-03-01T12:00:00Z"}"# + "\n"
    private static let place = #"{"at":1,"location":{"latitude":1,"longitude":2,"mode":"twoDimensional"}}"# + "\n"

    private func read(_ text: String, blocks size: Int = 7) throws -> (entries: [RecordingEntry], truncated: Bool) {
        var (parser, entries) = (RecordingParser(), [RecordingEntry]())
        for block in stride(from: 0, to: text.utf8.count, by: size) {
            parser.append(text.utf8.dropFirst(block).prefix(size))
            while let entry = try parser.next() { entries.append(entry) }
        }
        if let entry = try parser.finish() { entries.append(entry) }
        return (entries, parser.isTruncated)
    }

    private func sample() throws -> [RecordingEntry] {
        var heading = Heading()
        heading.trueHeading = 12.5
        let status = ServiceStatus(
            authorization: .authorizedAlways, accuracy: .full, enabled: true,
            source: SourceStatus(state: .tracking))
        return [
            RecordingEntry(at: 0, .status(status)), RecordingEntry(at: 0.25, .location(try TemporaryRecording.fix(4))),
            RecordingEntry(at: 0.5, .satellites([Satellite(gnss: "GPS", id: 3, used: true)])),
            RecordingEntry(at: 2, .heading(heading)), RecordingEntry(at: 3, .location(try TemporaryRecording.fix(5))),
        ]
    }

    @Test func headerIsTheAgreedLine() {
        let bytes = RecordingWriter().header(created: UTCTime(seconds: 1_772_366_400))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"format":"locationd-recording","version":1,"created":"2026-03-01T12:00:00.000Z"}"# + "\n")
    }

    @Test func lineIsTheAgreedLine() throws {
        let satellites = RecordingEntry(at: 1.1 + 0.1, .satellites([Satellite(gnss: "GPS", id: 3, used: true)]))
        #expect(
            String(decoding: try RecordingWriter().line(for: satellites), as: UTF8.self)
                == #"{"at":1.2,"satellites":[{"gnss":"GPS","id":3,"used":true}]}"# + "\n")
    }

    @Test(arguments: [1, 2, 64, 1_000_000])
    func whatIsWrittenIsReadAgain(blocks: Int) throws {
        let (writer, entries) = (RecordingWriter(), try sample())
        let lines = try entries.flatMap { try writer.line(for: $0) }
        let text = String(decoding: writer.header(created: ManualTime.origin) + lines, as: UTF8.self)
        let (found, truncated) = try read(text, blocks: blocks)
        #expect(found == entries)
        #expect(!truncated)
        // Every cut within the last line is tolerated and told, but for the one that takes its line feed alone.
        let whole = try read(String(text.dropLast()))
        #expect(whole.entries == entries && !whole.truncated)
        for cut in stride(from: 2, to: 200, by: 9) {
            let (rest, isTruncated) = try read(String(text.dropLast(cut)), blocks: blocks)
            #expect(rest == entries.dropLast() && isTruncated)
        }
    }

    @Test func numbersThatAreNoneCannotBeWritten() throws {
        var fix = try TemporaryRecording.fix(0)
        fix.altitude = .nan
        #expect {
            _ = try RecordingWriter().line(for: RecordingEntry(at: 0, .location(fix)))
        } throws: {
            "\($0)".contains("location.altitude is nan")
        }
    }

    @Test func emptyLinesAndUnknownKeysArePassedOver() throws {
        let text = Self.header + "\n \r\n" + #"{"at":2,"later":[1],"heading":{"age":0.1}}"# + "\r\n\n" + Self.place
        let (entries, truncated) = try read(text)
        #expect(entries.map(\.at) == [2, 1] && !truncated)
    }

    @Test(arguments: [
        Fault("", "it is empty"),
        Fault("\n", "is not a header"),
        Fault("hello\n", "is not a header"),
        Fault("hello", "is not a header"),
        Fault("{}\n", "format is missing"),
        Fault(#"{"format":"gpx","version":1}"#, "this is not locationd-recording"),
        Fault(#"{"format":"locationd-recording","version":0}"#, "no version 0"),
        Fault(#"{"format":"locationd-recording","version":"1"}"#, "version is not of type Int"),
        Fault(#"{"format":"locationd-recording","version":2,"created":5}"# + "\n", "has version 2"),
        Fault(String(repeating: "x", count: 300_000), "first line has no end"),
        Fault(header + "garbage\n" + place, "line 2 "),
        Fault(header + place + "\u{0}\u{1}\n" + place, "line 3 "),
        Fault(header + place + "\n" + #"{"at":1}"# + "\n", "line 4 is invalid (a line has one of"),
        Fault(header + #"{"at":1,"location":{"latitude":91,"longitude":2}}"# + "\n", "line 2 "),
        Fault(header + #"{"at":1,"location":{"longitude":2}}"# + "\n", "location.latitude is missing"),
        Fault(header + #"{"at":1,"location":{"latitude":1e999,"longitude":2}}"# + "\n", "line 2 "),
        Fault(header + #"{"at":1,"location":{"latitude":1,"longitude":2,"sequence":1e99}}"# + "\n", "line 2 "),
        Fault(
            header + #"{"at":1,"location":{"latitude":1,"longitude":2,"timestamp":"now"}}"# + "\n",
            "location.timestamp"),
        Fault(
            header + #"{"at":1,"location":{"latitude":1,"longitude":2,"timestamp":"9999-12-31T23:59:60Z"}}"# + "\n",
            "location.timestamp"),
        Fault(
            header + #"{"at":1,"location":{"latitude":1,"longitude":2,"course":720}}"# + "\n",
            "the course is impossible"),
        Fault(
            header + #"{"at":1,"location":{"latitude":1,"longitude":2,"speed":-1}}"# + "\n", "the speed is impossible"),
        Fault(header + #"{"at":1,"heading":{"trueHeading":360}}"# + "\n", "the trueHeading is impossible"),
        Fault(header + #"{"at":1,"heading":{"pitch":-91}}"# + "\n", "the pitch is impossible"),
        Fault(
            header + #"{"at":1,"satellites":[{"gnss":"GPS","id":1,"azimuth":-720,"used":false}]}"# + "\n",
            "the azimuth is impossible"),
        Fault(header + #"{"at":1,"satellites":[{"gnss":"GPS","id":0,"used":false}]}"# + "\n", "the id is impossible"),
        Fault(header + #"{"heading":{}}"# + "\n", "at is missing"),
        Fault(header + #"{"at":-1,"heading":{}}"# + "\n", "at: seconds are within"),
        Fault(header + #"{"at":1e300,"heading":{}}"# + "\n", "at: seconds are within"),
        Fault(header + #"{"at":"1","heading":{}}"# + "\n", "at is not of type Double"),
        Fault(header + #"{"at":1,"heading":{},"satellites":[]}"# + "\n", "one of location, satellites"),
        Fault(header + #"{"at":1,"satellites":[{"gnss":"GPS"}]}"# + "\n", "satellites.0.id is missing"),
        Fault(header + String(repeating: "[", count: 100_000) + "\n", "line 2 "),
        Fault(header + place + String(repeating: "x", count: 300_000), "line 3 is longer than 256 KiB"),
    ])
    func everyFaultIsExplained(_ fault: Fault) throws {
        for blocks in [13, 65_536, 1_000_000] {
            let error = #expect(throws: RecordingError.self) { try read(fault.text, blocks: blocks) }
            #expect(try #require(error).description.contains(fault.testDescription))
        }
    }

    @Test func aReaderMayGoOnBehindAMalformedLine() throws {
        var parser = RecordingParser()
        parser.append((Self.header + "garbage\n" + Self.place).utf8)
        #expect(throws: RecordingError.self) { try parser.next() }
        #expect(try parser.next()?.at == 1)
    }

    @Test func aFileIsReadInBlocks() throws {
        let entries = try (0..<2000).map { RecordingEntry(at: Double($0), .location(try TemporaryRecording.fix($0))) }
        let file = try TemporaryRecording(entries: entries)
        var reader = try RecordingReader(path: file.path)
        let header = reader.header
        #expect(header.version == 1 && header.created == ManualTime.origin)
        var count = 0
        while let entry = try reader.next() {
            #expect(entry == entries[count])
            count += 1
        }
        #expect(count == 2000)
        #expect(try reader.next() == nil)
    }

    @Test func whatIsNoFileIsExplainedAndLeavesNoDescriptor() throws {
        let empty = try TemporaryRecording([])
        for _ in 0..<200 {
            #expect(message(opening: "/nonexistent/file")?.contains("No such file or directory") == true)
            #expect(message(opening: "/proc")?.contains("not a regular file") == true)
            #expect(message(opening: empty.path)?.contains("it is empty") == true)
        }
        // Other tests of the process have descriptors too.
        let (files, folder) = (FileManager.default, "/proc/self/fd")
        let open = try files.contentsOfDirectory(atPath: folder)
            .compactMap { try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        #expect(!open.isEmpty && !open.contains(empty.path) && open.count { $0 == "/proc" } < 50)
    }

    private func message(opening path: String) -> String? {
        do {
            _ = try RecordingReader(path: path)
            return nil
        } catch {
            return error.description
        }
    }
}
