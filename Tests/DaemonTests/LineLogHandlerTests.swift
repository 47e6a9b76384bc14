import Logging
import Testing

@testable import locationd

/// Log lines stay lines, whatever a device or a client puts into them.
struct LineLogHandlerTests {
    @Test(arguments: ["gpsd", "/dev/ttyACM0", "127.0.0.1:2947", "2026-03-01T12:00:00.250Z", "a+b_c"])
    func plainValueHasNoQuotes(value: String) {
        #expect(LineLogHandler.quoted(value) == value)
    }

    @Test(arguments: [
        ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""), ("say \"no\"", "\"say 'no'\""),
        ("Ä", "\"Ä\""), ("first\nsecond", "\"first second\""), ("first\r\nerror: second", "\"first  error: second\""),
        ("\u{1B}[31mred", "\" [31mred\""), ("a\u{2028}b\u{85}c\0d", "\"a b c d\""),
    ])
    func otherValueIsQuotedOnItsLine(value: String, shown: String) {
        #expect(LineLogHandler.quoted(value) == shown)
    }

    @Test func levelIsSharedByAllLoggers() {
        let threshold = LineLogHandler.Threshold(.info)
        let loggers = ["a", "b"].map { Logger(label: $0) { _ in LineLogHandler(threshold: threshold) } }
        #expect(loggers.map(\.logLevel) == [.info, .info])
        threshold.level = .error
        #expect(loggers.map(\.logLevel) == [.error, .error])
    }

    @Test func metadataStaysWithItsLogger() {
        var handler = LineLogHandler(threshold: .init(.info))
        handler[metadataKey: "client"] = "7"
        #expect(handler.metadata == ["client": "7"] && handler[metadataKey: "client"] == "7")
        handler[metadataKey: "client"] = nil
        #expect(handler.metadata.isEmpty)
    }
}
