import Testing

@testable import ServiceKit

/// A text, and what TOML 1.0 makes of it.
struct Reading: Sendable, CustomTestStringConvertible {
    let text: String
    let values: Plain

    init(_ text: String, _ values: Plain) {
        self.text = text
        self.values = values
    }

    var testDescription: String { text.debugDescription }
}

/// A value without lines, written as a literal.
enum Plain: Sendable, Equatable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case integer(Int), number(Double), text(String), boolean(Bool), list([Plain]), table([String: Plain])

    init(integerLiteral value: Int) { self = .integer(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(arrayLiteral elements: Plain...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, Plain)...) {
        self = .table(Dictionary(elements) { first, _ in first })
    }

    init(_ node: Node) {
        switch node {
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .text(let value): self = .text(value)
        case .boolean(let value): self = .boolean(value)
        case .list(let entries): self = .list(entries.map { Plain($0.node) })
        case .table(let entries): self = .table(entries.mapValues { Plain($0.node) })
        }
    }
}

@Suite struct TOMLReaderTests {
    @Test(arguments: keys + tables + strings + numbers + others)
    func textHasItsValues(_ reading: Reading) throws {
        #expect(Plain(.table(try TOMLReader.entries(of: reading.text))) == reading.values)
    }

    @Test func notANumberIsRead() throws {
        for word in ["nan", "+nan", "-nan"] {
            guard case .number(let value) = try TOMLReader.entries(of: "a = \(word)")["a"]?.node else {
                Issue.record("\(word) is no number")
                continue
            }
            #expect(value.isNaN)
        }
    }

    static let keys = [
        Reading("", [:]),
        Reading("\u{FEFF}a = 1", ["a": 1]),
        Reading("# a = 1\n\t \n", [:]),
        Reading("a=1#x\r\n\r\nA = 2 # \u{e9}\r\n", ["a": 1, "A": 2]),
        Reading("bare_key-1 = 1\n1234 = 2\n- = 3", ["bare_key-1": 1, "1234": 2, "-": 3]),
        Reading(#""a.b" = 1\#n'c"\d' = 2\#n"" = 3\#n"\u00e9\t" = 4"#, ["a.b": 1, "c\"\\d": 2, "": 3, "\u{e9}\t": 4]),
        Reading("a . 'b' .c = 1\na.d = 2", ["a": ["b": ["c": 1], "d": 2]]),
        Reading("3.14 = 1\ntrue = 2\ninf = 3", ["3": ["14": 1], "true": 2, "inf": 3]),
    ]

    static let tables = [
        Reading("[a]\n[b] # b\nx = 1", ["a": [:], "b": ["x": 1]]),
        Reading("[ a . \"b.c\" ]\nx = 1", ["a": ["b.c": ["x": 1]]]),
        Reading("[a.b]\nx = 1\n[a]\ny = 2", ["a": ["b": ["x": 1], "y": 2]]),
        Reading("[a.b]\n[a]\nc.x = 1\n[d]", ["a": ["b": [:], "c": ["x": 1]], "d": [:]]),
        Reading("[a]\nb.x = 1\n[a.b.c]\ny = 2", ["a": ["b": ["x": 1, "c": ["y": 2]]]]),
        Reading("[[a]]\nx = 1\n[[a]]\n[[a]]\nx = 3", ["a": [["x": 1], [:], ["x": 3]]]),
        Reading(
            "[[a]]\n[a.b]\nx = 1\n[[a.c]]\ny = 2\n[[a]]\n[[a.c]]\n[[a.c]]\n[a.c.d]",
            ["a": [["b": ["x": 1], "c": [["y": 2]]], ["c": [[:], ["d": [:]]]]]]),
        Reading("[[a.b]]\n[a]\nx = 1", ["a": ["b": [[:]], "x": 1]]),
        Reading(
            "a = {}\nb = { x = 1, y.z = 2, y.w = { v = 3 } }",
            ["a": [:], "b": ["x": 1, "y": ["z": 2, "w": ["v": 3]]]]),
        Reading("a = [{ x = 1 }, { x = 2 }]", ["a": [["x": 1], ["x": 2]]]),
    ]

    static let strings = [
        Reading(#"a = "\b\t\n\f\r\"\\\u00E9\U0001F600""#, ["a": "\u{8}\t\n\u{C}\r\"\\\u{e9}\u{1F600}"]),
        Reading("a = \"tab\there # \u{e9}\u{85}\u{2028}\"", ["a": "tab\there # \u{e9}\u{85}\u{2028}"]),
        Reading("a = ''\nb = \"\"", ["a": "", "b": ""]),
        Reading(#"a = 'C:\new "x"'"#, ["a": #"C:\new "x""#]),
        Reading("a = \"\"\"\nx\r\ny\n\"\"\"", ["a": "x\ny\n"]),
        Reading("a = \"\"\"x\\\n\n   y \\  \n\t z\"\"\"", ["a": "xy z"]),
        Reading("a = \"\"\"\\\n\"\"\"", ["a": ""]),
        Reading("a = \"\"\"\"\"x\"\" \\\"\"\" y\"\"\"\"\"", ["a": "\"\"x\"\" \"\"\" y\"\""]),
        Reading("a = '''\n\n\\''x''''", ["a": "\n\\''x'"]),
        Reading("a = \"\"\"\"\"\"\nb = ''''''", ["a": "", "b": ""]),
    ]

    static let numbers = [
        Reading("a = [0, +0, -0, 7, +7, -7, 1_000, 1_2_3]", ["a": [0, 0, 0, 7, 7, -7, 1000, 123]]),
        Reading("a = [9223372036854775807, -9223372036854775808]", ["a": [.integer(.max), .integer(.min)]]),
        Reading(
            "a = [0xDEAD_beef, 0o755, 0b1_01, 0x00, 0x7fffffffffffffff]",
            ["a": [0xDEAD_BEEF, 493, 5, 0, .integer(.max)]]),
        Reading(
            "a = [0.0, +1.5, -0.25, 1e3, 5E+2, 6e-02, 1_0.2_5e0_1]",
            ["a": [0.0, 1.5, -0.25, 1000.0, 500.0, 0.06, 102.5]]),
        Reading(
            "a = [0e0, 1.7976931348623157e308, 5e-324, 1e-400]",
            ["a": [0.0, .number(.greatestFiniteMagnitude), .number(.leastNonzeroMagnitude), 0.0]]),
        Reading("a = [inf, +inf, -inf]", ["a": [.number(.infinity), .number(.infinity), .number(-.infinity)]]),
    ]

    static let others = [
        Reading("a = true\nb = false", ["a": true, "b": false]),
        Reading(
            "a = [ ]\nb = [1,]\nc = [ # c\n 1 # d ]\n , 'x',\n\n [true], ]",
            ["a": [], "b": [1], "c": [1, "x", [true]]]),
        Reading(
            "a = \(String(repeating: "[", count: 15))1\(String(repeating: "]", count: 15))",
            ["a": [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]),
    ]
}
