import LocationServer
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd

/// Log lines stay lines, whatever a device or a client puts into them; the journal has it unchanged.
struct LogRecordTests {
    @Test(arguments: ["gpsd", "/dev/ttyACM0", "127.0.0.1:2947", "2026-03-01T12:00:00.250Z", "a+b_c"])
    func plainValueHasNoQuotes(value: String) {
        #expect(LogRecord.quoted(value) == value)
    }

    @Test(arguments: [
        ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""), ("say \"no\"", "\"say 'no'\""),
        ("Ä", "\"Ä\""), ("first\nsecond", "\"first second\""), ("first\r\nerror: second", "\"first  error: second\""),
        ("\u{1B}[31mred", "\" [31mred\""), ("a\u{2028}b\u{85}c\0d", "\"a b c d\""), ("\u{202E}txt", "\" txt\""),
    ])
    func otherValueIsQuotedOnItsLine(value: String, shown: String) {
        #expect(LogRecord.quoted(value) == shown)
    }

    @Test func textHasSentenceDataAndCount() {
        var record = LogRecord(.notice, "a thing\nhappened", ["b": "2", "a": "one two", "list": ["x", "y"]])
        #expect(record.text == "a thing happened a=\"one two\" b=2 list=\"['x', 'y']\"")
        record.repeats = 1
        #expect(record.text.hasSuffix("]\" (repeated 1 time)"))
        record.repeats = 12
        #expect(record.text.hasSuffix("]\" (repeated 12 times)"))
    }

    @Test func journalHasEachDatumAsAField() {
        var record = LogRecord(
            .error, "a thing happened", ["reason": "first\nsecond", "needRestart": "x"], event: .stateNotPersisted)
        record.repeats = 3
        var expected = JournalEntry()
        expected.add("MESSAGE", "a thing happened needRestart=x reason=\"first second\" (repeated 3 times)")
        expected.add("PRIORITY", "3")
        expected.add("SYSLOG_IDENTIFIER", "locationd")
        expected.add("SYSLOG_FACILITY", "3")
        expected.add("MESSAGE_ID", "228bb95e40ae424ba4ece18c881116cd")
        expected.add("LOCATIOND_NEED_RESTART", "x")
        expected.add("LOCATIOND_REASON", "first\nsecond")
        expected.add("LOCATIOND_REPEATED", "3")
        #expect(record.entry == expected)
    }

    @Test func nobodyForgesAFieldOfTheJournal() {
        let record = LogRecord(.info, "sentence", ["MESSAGE_ID": "0", "PRIORITY": "0", "_UID": "0"])
        let text = String(decoding: record.entry.bytes, as: UTF8.self)
        #expect(
            text == """
                MESSAGE=sentence MESSAGE_ID=0 PRIORITY=0 _UID=0
                PRIORITY=6
                SYSLOG_IDENTIFIER=locationd
                SYSLOG_FACILITY=3
                LOCATIOND_MESSAGE_ID=0
                LOCATIOND_PRIORITY=0
                LOCATIOND__UID=0

                """)
    }

    @Test(arguments: zip(Logger.Level.allCases, [7, 7, 6, 5, 4, 3, 2]))
    func levelHasAPriority(level: Logger.Level, priority: Int) {
        #expect(level.priority.rawValue == priority)
    }

    @Test func everyEventHasANumberAndASentenceOfItsOwn() {
        let hexadecimal = Set("0123456789abcdef")
        for event in ServiceEvent.allCases {
            #expect(event.rawValue.count == 32 && event.rawValue.allSatisfy(hexadecimal.contains), "\(event)")
        }
        #expect(Set(ServiceEvent.allCases.map { "\($0.message)" }).count == ServiceEvent.allCases.count)
    }

    @Test func theManualListsEveryEventAndNoOther() throws {
        let items = try ManualPage("locationd.8").items(under: "EVENTS")
        #expect(items.map { $0.words(after: "Li") ?? [] } == ServiceEvent.allCases.map { [$0.rawValue] })
        #expect(items.map(\.text.first) == ServiceEvent.allCases.map { "\($0.message)" })
    }
}
