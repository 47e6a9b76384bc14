import Testing

@testable import GPSDSource

/// The texts RFC 8259 takes, and those it does not; only objects count here.
@Suite struct JSONScannerTests {
    private func facts(_ text: String) -> JSONScanner.Facts? { JSONScanner.facts(of: Array(text.utf8)) }

    @Test(arguments: [
        "{}", "{ }", "{\t\r\n }", "{} ", "{}\r\n", #"{"":0}"#, #"{"a":1,"a":2}"#, #"{ "a" : 1 , "b" : [ ] }"#,
        #"{"a":[[],{},[{}],[1,"x",null,true,false]]}"#, #"{"a":{"b":{"c":"d"}}}"#,
        #"{"n":0}"#, #"{"n":-0}"#, #"{"n":-0.0}"#, #"{"n":10}"#, #"{"n":0.5}"#, #"{"n":1e9}"#, #"{"n":1E+9}"#,
        #"{"n":1.25e-9}"#, #"{"n":1e999}"#, #"{"n":0e0}"#, #"{"n":123456789012345678901234567890}"#,
        #"{"s":"\"\\\/\b\f\n\r\t"}"#, #"{"s":"\u00e9\uABCD\u0000"}"#, #"{"s":"\ud834\udd1e"}"#, #"{"s":"\ud834"}"#,
        #"{"s":"\udd1e\ud834"}"#, #"{"s":"é 😀 \#u{7F}\#u{2028}"}"#, #"{"\n":1}"#,
    ])
    func isJSON(_ text: String) {
        #expect(facts(text) != nil)
    }

    @Test(arguments: [
        "", " ", "[]", "1", "null", #""a""#, " {}", "\u{FEFF}{}", "{}{}", "{},", "{}x", "{}\0", "{", "}", "{{}}", "{]",
        "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1,,"b":2}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a"::1}"#,
        #"{"a":1;"b":2}"#, #"{"a",1}"#, #"{a:1}"#, #"{'a':1}"#, #"{1:1}"#, #"{"a":1"#, #"{"a":"#, #"{"a"#, #"{"a":"b"#,
        #"{"a":[}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":[1 2]}"#, #"{"a":[1}"#, #"{"a":[1]]}"#, #"{"a":{]}"#,
        #"{"n":01}"#, #"{"n":00}"#, #"{"n":-01}"#, #"{"n":-}"#, #"{"n":+1}"#, #"{"n":.5}"#, #"{"n":1.}"#,
        #"{"n":1.e5}"#,
        #"{"n":1e}"#, #"{"n":1e+}"#, #"{"n":1e1.5}"#, #"{"n":--1}"#, #"{"n":1-1}"#, #"{"n":0x10}"#, #"{"n":1_000}"#,
        #"{"n":nan}"#, #"{"n":NaN}"#, #"{"n":inf}"#, #"{"n":-Infinity}"#, #"{"n":1,5}"#, #"{"n":١}"#,
        #"{"w":tru}"#, #"{"w":TRUE}"#, #"{"w":truex}"#, #"{"w":nul"#, #"{"w":undefined}"#,
        #"{"s":"\x"}"#, #"{"s":"\'"}"#, #"{"s":"\u12"}"#, #"{"s":"\u12g4"}"#, #"{"s":"\u 123"}"#, #"{"s":"\"#,
        #"{"s":"\"}"#,
        #"{"s":"\u"}"#, #"{"s":"\U0041"}"#, "{\"s\":\"a\nb\"}", "{\"s\":\"a\tb\"}", "{\"s\":\"\0\"}",
        "{\"s\":\"\u{1F}\"}",
        "{\"a\":1/* */}", "{\"a\":1}//", "{\u{A0}\"a\":1}", "{\u{0B}\"a\":1}", "{\u{0C}}",
    ])
    func isNotJSON(_ text: String) {
        #expect(facts(text) == nil)
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func bytesThatAreNoTextAreRefused(_ bytes: [UInt8]) {
        #expect(JSONScanner.facts(of: Array(#"{"s":""#.utf8) + bytes + Array(#""}"#.utf8)) == nil)
        #expect(JSONScanner.facts(of: bytes) == nil)
    }

    @Test func everyEndOfALineThatIsCutOffIsRefused() {
        for line in [Line.fullTPV, Line.fullSKY, Line.fullATT] {
            let bytes = Array(line.utf8)
            #expect(JSONScanner.facts(of: bytes) != nil)
            for end in bytes.indices { #expect(JSONScanner.facts(of: Array(bytes[..<end])) == nil) }
        }
    }

    @Test func depthIsBounded() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            #"{"a":"# + String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth) + "}"
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(facts(nested(JSONScanner.depthLimit - 2, open, close)) != nil)
            #expect(facts(nested(JSONScanner.depthLimit - 1, open, close)) == nil)
            #expect(facts(nested(60_000, open, close)) == nil)
        }
        #expect(facts(#"{"a":"# + String(repeating: "[", count: 100_000)) == nil)
    }
}
