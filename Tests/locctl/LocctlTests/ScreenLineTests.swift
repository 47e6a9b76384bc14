import Testing

@testable import locctl

/// Text of a known width.
@Suite struct ScreenLineTests {
    private func line(_ text: String, ascii: Bool = false) -> ScreenLine {
        var line = ScreenLine(ScreenStyle(isASCII: ascii))
        line.add(text)
        return line
    }

    @Test(arguments: [("abc", 3), ("±3°", 3), ("東京", 4), ("e\u{301}", 1), ("", 0), ("\u{7}", 5)])
    func columnsAreCountedAsTerminalsDo(text: String, columns: Int) {
        #expect(line(text).width == columns)
    }

    @Test(arguments: [("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("東京都", 4, "東…"), ("abc", 0, ""), ("abc", 1, "…")])
    func whatIsTooLongIsCutWithAMark(text: String, columns: Int, cut: String) {
        var line = line(text)
        line.clip(to: columns)
        #expect(line.text == cut && line.width <= columns)
    }

    @Test func tonesAreEndedWhereTheyEnd() {
        var line = ScreenLine(ScreenStyle())
        line.add("a", .good)
        line.add("b")
        #expect(line.encoded == "\u{1b}[32ma\u{1b}[0mb")
    }

    @Test func columnsAreFilledAndCut() {
        var line = line("")
        line.add("ab", columns: 4)
        line.add("cdefgh", columns: 4)
        #expect(line.text == "ab  cde…")
    }

    @Test(arguments: [(0.0, 0, 0), (1, 8, 8), (2, 8, 8), (-1, 0, 0), (0.5, 4, 4), (0.54, 5, 4)])
    func barsGrowWithTheirShare(share: Double, columns: Int, ascii: Int) {
        #expect(ScreenStyle().bar(share, columns: 8).columns == columns)
        #expect(ScreenStyle(isASCII: true).bar(share, columns: 8) == String(repeating: "#", count: ascii))
    }

    @Test func wordsAreKeptWhole() {
        #expect("one two  three verylongword".wrapped(columns: 8) == ["one two", "three", "verylongword"])
    }

    @Test func onlyChangedLinesAreWritten() {
        var picture = TerminalPicture()
        let first = picture.change(to: [line("one"), line("two")], columns: 10, rows: 5)
        #expect(first.contains("\u{1b}[2J") && first.contains("one") && first.contains("two"))
        #expect(picture.change(to: [line("one"), line("two")], columns: 10, rows: 5).isEmpty)
        #expect(picture.change(to: [line("one"), line("2")], columns: 10, rows: 5) == "\u{1b}[2;1H2\u{1b}[K")
        #expect(picture.change(to: [line("one")], columns: 10, rows: 5) == "\u{1b}[2;1H\u{1b}[K")
        #expect(picture.change(to: [line("one")], columns: 3, rows: 5) == "\u{1b}[0m\u{1b}[2J\u{1b}[1;1Hone")
    }
}
