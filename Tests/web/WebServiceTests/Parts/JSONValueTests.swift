import Testing
import Varlink

@testable import WebService

/// JSON that is passed on means the same afterwards.
@Suite struct JSONValueTests {
    @Test(arguments: [
        #"{}"#, #"[]"#, #"null"#, #"true"#, #"0"#, #"-1"#, #"1.5"#, #""""#, #"{"a":[1,"2",null,{"b":false}]}"#,
        #"{"integer":9223372036854775807,"smallest":-9223372036854775808}"#, #"{"number":0.1,"text":"0.1"}"#,
        #"["\u0000\"\\\n"]"#,
        #"{"":{"ä":"😀"}}"#, #"[true,1,"true","1"]"#, #"[[[[[[]]]]]]"#,
    ])
    func roundTrip(text: String) throws {
        let value = try #require(WebJSON.value(Array(text.utf8), as: JSONValue.self))
        let written = try #require(WebJSON.bytes(value))
        #expect(WebJSON.value(written, as: JSONValue.self) == value)
        guard !text.contains("\\") else { return }
        #expect(String(decoding: written, as: UTF8.self) == text)
    }

    @Test func kindsAreKept() throws {
        let text = #"{"a":true,"b":1,"c":1.5,"d":"1","e":null,"f":[],"g":{}}"#
        #expect(
            WebJSON.value(Array(text.utf8), as: JSONValue.self)
                == .object([
                    "a": .bool(true), "b": .integer(1), "c": .number(1.5), "d": .text("1"), "e": .null, "f": .list([]),
                    "g": .object([:]),
                ]))
        #expect(
            WebJSON.value(Array("18446744073709551615".utf8), as: JSONValue.self) == .number(18_446_744_073_709_551_616)
        )
    }

    @Test(arguments: [
        "", "{", "{\"a\"}", "nul", "1e999", "\"\u{1}\"", "{\"a\":1}x", "NaN", "'a'", "\u{0}",
        String(repeating: "[", count: 100_000),
        String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000),
        String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000),
    ])
    func nonsenseIsNothing(text: String) {
        #expect(WebJSON.value(Array(text.utf8), as: JSONValue.self) == nil)
        #expect(WebJSON.value([0xFF, 0xFE] + Array(text.utf8), as: JSONValue.self) == nil)
    }
}
