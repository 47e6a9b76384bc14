import Dispatch
import Foundation
import Glibc
@_spi(Programs) import LocationModel
import Testing

@testable import locctl

/// All output reaches the reader.
@Suite(.timeLimit(.minutes(10)))
struct OutputTests {
    @Test func pipeThatIsFullIsWaitedForAlsoWhereNothingWaits() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        defer { close(reader) }
        let (written, end) = AsyncStream.makeStream(of: Void.self)
        DispatchQueue(label: "writing").async {
            Output.writeBytes([UInt8](repeating: 0x78, count: 1 << 20), to: writer)
            close(writer)
            end.finish()
        }
        let count = await withCheckedContinuation { continuation in
            DispatchQueue(label: "reading").async { continuation.resume(returning: Self.countLate(reader)) }
        }
        for await _ in written {}
        #expect(count == 1 << 20)
    }

    /// What the function writes.
    private func written(by body: (Int32) throws -> Void) throws -> String {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        do {
            // Less than a pipe holds.
            defer { close(ends[1]) }
            try body(ends[1])
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Texts of the daemon and names of users steer no terminal.
    private static let hostile = "a\u{1b}[2J\u{7}\u{9b}\r\u{202e}\u{2028}\u{e0041}é"

    @Test func controlCharactersOfALineAreEscaped() throws {
        #expect(
            try written { Output.write("\(Self.hostile)\t\nb", to: $0) }
                == #"a\u{1b}[2J\u{7}\u{9b}\u{d}\u{202e}\u{2028}\u{e0041}é"# + "\t" + #"\u{a}b"# + "\n")
    }

    @Test func controlCharactersOfATextAreEscapedAndItsLinesKept() throws {
        #expect(
            try written { Output.writeText("\(Self.hostile)\tb\nc\n", to: $0) }
                == #"a\u{1b}[2J\u{7}\u{9b}\u{d}\u{202e}\u{2028}\u{e0041}é"# + "\tb\nc\n")
        #expect(try written { Output.writeText("a\r\nb\u{1b}\r\n", to: $0) } == "a\r\nb" + #"\u{1b}"# + "\r\n")
    }

    /// JSON of what it writes is what was given, and has no character that a terminal obeys.
    @Test func controlCharactersOfJSONAreEscapedAsJSON() throws {
        let text = try written { try Output.writeJSON(["text": Self.hostile], to: $0) }
        #expect(text.hasSuffix("}\n") && text.unicodeScalars.dropLast().allSatisfy { !$0.isUnprintable }, "\(text)")
        #expect(text.contains(#"\u009b"#) && text.contains(#"\u202e\u2028\udb40\udc41é"#), "\(text)")
        let read = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(read == ["text": Self.hostile])
    }

    /// Reads when the pipe is full, to its end.
    private static func countLate(_ reader: Int32) -> Int {
        var (count, waiting): (Int, Int32) = (0, 0)
        var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while waiting < 65_536, poll(&entry, 1, -1) == 1, entry.revents & Int16(POLLHUP) == 0 {
            guard ioctl(reader, UInt(FIONREAD), &waiting) == 0 else { return -1 }
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while poll(&entry, 1, -1) == 1, case let new = read(reader, &bytes, bytes.count), new > 0 { count += new }
        return count
    }
}
