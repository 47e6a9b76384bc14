@_spi(Programs) import SystemSupport
import Testing

/// What a splitter makes of lines that are empty or too long. That a stream may be cut anywhere is tested with gpsd's
/// lines.
@Suite struct LineSplitterTests {
    private enum Event: Equatable {
        case line(Int, String)
        case overlong(Int)
    }

    /// What is handed out, with its number, when the pieces go in one by one.
    private func events(_ splitter: inout LineSplitter, _ pieces: String...) -> [Event] {
        var events: [Event] = []
        for piece in pieces {
            var found: [String?] = []
            let before = splitter.number
            Array(piece.utf8).withUnsafeBytes { bytes in
                splitter.split(bytes) {
                    found.append(String(decoding: $0, as: UTF8.self))
                } overlong: {
                    found.append(nil)
                }
            }
            for (number, line) in zip((before + 1)..., found) {
                events.append(line.map { .line(number, $0) } ?? .overlong(number))
            }
        }
        return events
    }

    @Test func emptyLinesAreHandedOutUnlessTheyAreOmitted() {
        var splitter = LineSplitter(limit: 8, overlong: .skip)
        #expect(events(&splitter, "\n\r\na\n") == [.line(1, ""), .line(2, ""), .line(3, "a")])
        var omitting = LineSplitter(limit: 8, overlong: .skip, omitsEmptyLines: true)
        Array("\n\r\na\n".utf8).withUnsafeBytes { bytes in
            omitting.split(bytes) { #expect($0 == Array("a".utf8)) }
        }
        #expect(omitting.number == 3)
    }

    @Test(arguments: ["123456789\nnext\n", "123456789 and so on\nnext\n"])
    func overlongLineIsSkippedAndCounted(_ text: String) {
        var splitter = LineSplitter(limit: 8, overlong: .skip)
        #expect(events(&splitter, "12345678\n", text) == [.line(1, "12345678"), .overlong(2), .line(3, "next")])
    }

    @Test func overlongLineEndsTheStream() {
        var splitter = LineSplitter(limit: 8, overlong: .stop)
        #expect(events(&splitter, "one\n12345", "6789") == [.line(1, "one"), .overlong(2)])
        #expect(events(&splitter, "\nnext\n", "next\n") == [])
        #expect(splitter.number == 2)
        #expect(splitter.rest() == nil)
    }

    @Test func lastLineNeedsNoLineFeed() {
        var splitter = LineSplitter(limit: 8, overlong: .stop)
        #expect(events(&splitter, "one\ntw", "o") == [.line(1, "one")])
        #expect(splitter.rest() == Array("two".utf8))
        #expect(splitter.number == 2)
        #expect(splitter.rest() == nil)
    }
}
