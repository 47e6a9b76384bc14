@_spi(Programs) import SystemSupport
import Testing

@_spi(Programs) @testable import GPSDSource

@Suite struct LineSplitterTests {
    /// The lines that come out when the pieces go in one by one; `nil` in place of an overlong one.
    private func lines(_ pieces: [[UInt8]]) -> [String?] {
        var splitter = LineSplitter.gpsd()
        var lines: [String?] = []
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                splitter.split(bytes) {
                    lines.append(String(decoding: $0, as: UTF8.self))
                } overlong: {
                    lines.append(nil)
                }
            }
        }
        return lines
    }

    private func lines(_ text: String, every size: Int) -> [String?] {
        let bytes = Array(text.utf8)
        return lines(stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) })
    }

    @Test func aStreamMayBeCutAnywhere() {
        let expected = [Line.version, Line.fullTPV, "ü", Line.fullSKY]
        let stream = Array("\(Line.version)\r\n\(Line.fullTPV)\n\r\nü\r\n\n\(Line.fullSKY)\n".utf8)
        for cut in 0...stream.count {
            #expect(lines([Array(stream[..<cut]), Array(stream[cut...])]) == expected, "cut at \(cut)")
        }
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000, 100_000]) func piecesMayHaveAnySize(_ size: Int) {
        let sky = Line.sky(satellites: 82, used: 40)
        #expect(sky.utf8.count > 6000)
        #expect(lines("\(sky)\r\n\(Line.fullTPV)\r\n\(sky)\n", every: size) == [sky, Line.fullTPV, sky])
    }

    @Test func severalObjectsInOneReadAreSeveralLines() {
        let expected = (0..<500).map { #"{"class":"TPV","mode":\#($0)}"# }
        #expect(lines([Array((expected.joined(separator: "\r\n") + "\r\n").utf8)]) == expected)
    }

    @Test func anUnfinishedLineIsHeldBack() {
        #expect(lines([Array("one\ntwo".utf8)]) == ["one"])
        #expect(lines([Array("one\ntwo".utf8), Array("\n".utf8)]) == ["one", "two"])
    }

    @Test func onlyOneCarriageReturnAtTheEndIsTakenAway() {
        #expect(
            lines(["a\r\r\n".utf8, "\rb\r\n".utf8, "c\rd\n".utf8, "\r\n".utf8].map { Array($0) }) == [
                "a\r", "\rb", "c\rd",
            ])
    }

    @Test(arguments: [1, 4096, 65_536, 131_073, 1_000_000]) func anOverlongLineCostsOnlyItself(size: Int) {
        let long = String(repeating: "x", count: LineSplitter.gpsdLimit + 1)
        let stream = Array("before\n\(long)\nbetween\n\(long)\(long)\r\nafter\n".utf8)
        let pieces = stride(from: 0, to: stream.count, by: size).map {
            Array(stream[$0..<min($0 + size, stream.count)])
        }
        #expect(lines(pieces) == ["before", nil, "between", nil, "after"])
    }

    @Test func aLineAtTheLimitIsWhole() {
        let line = String(repeating: "x", count: LineSplitter.gpsdLimit)
        #expect(lines([Array("\(line)\nafter\n".utf8)]) == [line, "after"])
    }

    @Test func whatHasNoNewlineAtAllIsNotKept() {
        let flood = [UInt8](repeating: 0x7B, count: 65_536)
        #expect(lines([[UInt8]](repeating: flood, count: 100) + [Array("\nafter\n".utf8)]) == [nil, "after"])
    }
}
