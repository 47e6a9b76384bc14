import Testing

@testable import Fleet

/// What others publish for the device; anybody may have written it.
@Suite struct RemoteCommandTests {
    @Test func commandsAreRead() {
        #expect(RemoteCommand(Array(#"{"_type":"cmd","action":"reportLocation"}"#.utf8)) == .reportLocation)
        #expect(RemoteCommand(Array(#"{"action":"status","_type":"cmd","more":[1]}"#.utf8)) == .status)
    }

    @Test(
        arguments: [
            "", "{}", "null", "[]", "reportLocation", #"{"action":"reportLocation"}"#,
            #"{"_type":"location","action":"reportLocation"}"#, #"{"_type":"cmd","action":"setConfiguration"}"#,
            #"{"_type":"cmd","action":["reportLocation"]}"#, #"{"_type":"cmd","action":"reportLocation""#,
            #"{"_type":"cmd","action":"REPORTLOCATION"}"#, "\u{0}\u{1}\u{2}",
            String(repeating: "[", count: 4096), #"{"_type":"# + String(repeating: #"{"a":"#, count: 800),
        ])
    func anythingElseIsNone(text: String) {
        #expect(RemoteCommand(Array(text.utf8)) == nil)
    }

    @Test func bytesThatAreNoTextAreNone() {
        #expect(RemoteCommand([0xFF, 0xFE, 0x7B, 0x00]) == nil)
        #expect(RemoteCommand((0..<4096).map { _ in UInt8.random(in: 0...255) }) == nil)
    }
}
