import ServiceKit
import Testing

/// The journal's native form, byte by byte.
struct JournalEntryTests {
    private func text(_ fields: [(String, String)]) -> String {
        var entry = JournalEntry()
        for (name, value) in fields { entry.add(name, value) }
        return String(decoding: entry.bytes, as: UTF8.self)
    }

    @Test func valueOfOneLineFollowsAnEqualsSign() {
        #expect(text([("MESSAGE", "a=b Ä"), ("PRIORITY", "6"), ("A_1", "")]) == "MESSAGE=a=b Ä\nPRIORITY=6\nA_1=\n")
    }

    @Test func valueOfSeveralLinesFollowsItsLength() {
        #expect(text([("A", "x\ny")]) == "A\n\u{3}\0\0\0\0\0\0\0x\ny\n")
        #expect(text([("A", "\n")]) == "A\n\u{1}\0\0\0\0\0\0\0\n\n")
        // 300 is 1 · 256 + 44, counted in bytes.
        var entry = JournalEntry()
        entry.add("A", String(repeating: "ß", count: 149) + "\r\n")
        #expect(Array(entry.bytes[2..<10]) == [44, 1, 0, 0, 0, 0, 0, 0] && entry.bytes.count == 10 + 300 + 1)
    }

    @Test func fieldCannotSmuggleInAnother() {
        let value = "harmless\nMESSAGE_ID=0\nPRIORITY="
        #expect(text([("A", value)]) == "A\n\u{1F}\0\0\0\0\0\0\0\(value)\n")
        #expect(value.utf8.count == 0x1F)
    }

    @Test(arguments: ["", "_A", "1A", "a", "A-B", "A=B", "A\nB", "Ä", String(repeating: "A", count: 65)])
    func impossibleNameIsLeftOut(name: String) {
        #expect(text([(name, "1"), ("B", "2")]) == "B=2\n")
    }

    @Test(arguments: [
        ("reason", "P_REASON"), ("needRestart", "P_NEED_RESTART"), ("http2", "P_HTTP2"), ("a-b c", "P_A_B_C"),
        ("clientID", "P_CLIENT_ID"), ("Ä", "P__"), ("a\nB=", "P_A_B_"), ("", "P_"),
    ])
    func keyBecomesAName(key: String, name: String) {
        #expect(JournalEntry.name(key, of: "P") == name)
        #expect(text([(name, "")]) == "\(name)=\n")
    }

    @Test func longKeyIsCut() {
        #expect(JournalEntry.name(String(repeating: "k", count: 100), of: "P").utf8.count == 64)
    }

    @Test func priorityIsThatOfSyslog() {
        #expect(JournalPriority.emergency.linePrefix == "<0>" && JournalPriority.debug.linePrefix == "<7>")
    }
}
