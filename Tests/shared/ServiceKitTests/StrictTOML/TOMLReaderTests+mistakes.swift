import Testing

@testable import ServiceKit

extension TOMLReaderTests {
    /// What the text of a mistake says on the line where it is.
    struct Fault: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let problem: String

        init(_ text: String, _ line: Int, _ problem: String) {
            self.text = text
            self.line = line
            self.problem = problem
        }

        var testDescription: String { String(text.debugDescription.prefix(80)) }
    }

    @Test(arguments: keyFaults + tableFaults + stringFaults + bareFaults + bracketFaults)
    func faultIsReportedOnItsLine(_ fault: Fault) {
        let error = #expect(throws: SyntaxError.self) { try TOMLReader.entries(of: fault.text) }
        #expect(error?.line == fault.line)
        #expect(error?.problem == fault.problem)
    }

    private static let noKey = "a key is missing or has a character that wants quotes"
    private static let tooMuch = "there is more on the line than there may be"

    static let keyFaults = [
        Fault("\n= 1", 2, noKey), Fault("a.\n= 1", 1, noKey), Fault(".a = 1", 1, noKey), Fault("a..b = 1", 1, noKey),
        Fault("\u{e9} = 1", 1, noKey), Fault("{ = 1", 1, noKey), Fault("[[]]", 1, noKey), Fault("[ [a]]", 1, noKey),
        Fault("a", 1, "= is missing after the key"), Fault("a\n= 1", 1, "= is missing after the key"),
        Fault("\"\"\"a\"\"\" = 1", 1, "= is missing after the key"),
        Fault("\n'a", 2, "the text that begins here has no closing quote"),
        Fault("a = 1 b = 2", 1, tooMuch), Fault("[a] b = 2", 1, tooMuch), Fault("a = 1 ]", 1, tooMuch),
        Fault("[a", 1, "the closing ] is missing"), Fault("[[a]", 1, "the closing ]] is missing"),
        Fault("[[a] ]", 1, "the closing ]] is missing"), Fault("[a]]", 1, tooMuch),
        Fault("a = 1\rb = 2", 1, "a control character"), Fault("a = 1\n# \u{7F}", 2, "a control character"),
        Fault("a = 1\r\n# \0", 2, "a NUL character"), Fault("a = 1\n\u{FEFF}", 2, noKey),
        Fault(String(repeating: "a.", count: 16) + "a = 1", 1, "nested more than 16 deep"),
        Fault("[" + String(repeating: "a.", count: 16) + "a]", 1, "nested more than 16 deep"),
    ]

    static let tableFaults = [
        Fault("a = 1\nb = 2\n\"a\" = 3", 3, "a is already there on line 1"),
        Fault("a = 1\na.b = 2", 2, "a is already there on line 1"),
        Fault("a.b = 1\na = 2", 2, "a is already there on line 1"),
        Fault("a.b = 1\n[a]", 2, "a is already there on line 1"),
        Fault("[a]\nb.c = 1\n[a.b]", 3, "a.b is already there on line 2"),
        Fault("[a]\n[b]\n[a]", 3, "a is already there on line 1"),
        Fault("[a.b.c]\n[a]\nb.c.d = 1", 3, "a.b.c is already there on line 1"),
        Fault("[a.b]\n[a]\nb.c = 1\n\n[a]", 3, "a.b is already there on line 1"),
        Fault("[a.b.c]\n[a]\nb.x = 1\n[a.b]", 4, "a.b is already there on line 1"),
        Fault("a = 1\n[a.b]", 2, "a is already there on line 1"),
        Fault("[[a]]\n[a]", 2, "a is already there on line 1"), Fault("[a]\n[[a]]", 2, "a is already there on line 1"),
        Fault("[a.b]\n[[a]]", 2, "a is already there on line 1"),
        Fault("a = []\n[[a]]", 2, "a is already there on line 1"),
        Fault("a = [{}]\n[a.b]", 2, "a is already there on line 1"),
        Fault("[[a.b]]\n[a]\nb.c = 1", 3, "a.b is already there on line 1"),
        Fault("[[a]]\nb = 1\n[[a]]\nb = 1\nb = 1", 5, "a[1].b is already there on line 4"),
        Fault("a = {}\na.b = 1", 2, "a is already there on line 1"),
        Fault("a = { b.c = 1 }\n[a.b]", 2, "a is already there on line 1"),
        Fault("a = { b = 1, b = 2 }", 1, "a.b is already there on line 1"),
        Fault("a = { b = {}, b.c = 2 }", 1, "a.b is already there on line 1"),
    ]

    private static let openText = "the text that begins here has no closing quote"
    private static let noEscape = "a backslash begins none of TOML's escapes; \\\\ stands for itself"

    static let stringFaults = [
        Fault("a = \"x\nb = 2\"", 1, openText), Fault("\na = 'x", 2, openText), Fault("a = '''x\n''", 1, openText),
        Fault("a = \"\\\"", 1, openText), Fault("a = \"\"\"\n\\\n", 1, openText), Fault("a = \"\"\"\\", 1, noEscape),
        Fault("a = \"\\q\"", 1, noEscape), Fault("a = \"\\\u{e9}\"", 1, noEscape),
        Fault("a = \"\"\"\n\n\\ x\"\"\"", 3, noEscape), Fault("a = \"\\\nb\"", 1, noEscape),
        Fault("a = \"\"\"\\u12\n", 1, "an escape has fewer than 4 hexadecimal digits"),
        Fault("a = \"\\u12\"", 1, "an escape has fewer than 4 hexadecimal digits"),
        Fault("a = \"\\u+123\"", 1, "an escape has fewer than 4 hexadecimal digits"),
        Fault("a = \"\\U0000004", 1, "an escape has fewer than 8 hexadecimal digits"),
        Fault("a = \"\\uD800\"", 1, "an escape stands for no character"),
        Fault("a = \"\\UFFFFFFFF\"", 1, "an escape stands for no character"),
        Fault("a = \"\\u0000\"", 1, "an escape stands for a NUL character"),
        Fault("a = \"\"\"x\"\"\"\"\"\"", 1, tooMuch), Fault("a = 'x''", 1, tooMuch),
    ]

    static let bareFaults = [
        "+", "-", "+-1", "_1", "1_", "1__0", "01", "-01", "0x", "+0x1", "0X1", "0xg", "0x_1", "0o8", "0b2", "1.", ".1",
        "1.e1", "1._1", "1_.1", "01.5", "1e", "1e+", "1e1.5", "1e_1", "1e++1", "1.2.3", "Inf", "infinity", "-NaN",
        "nan1", "True", "yes", "9223372036854775808", "-9223372036854775809", "0x8000000000000000", "1e400", "-1e400",
        "1:2", "1-2", "0x1p3",
    ].map {
        Fault("\na = \($0)", 2, "\"\($0)\" is no boolean and no number of 64 bits, and text wants quotes")
    }

    private static let openTable = "a comma or the closing } is missing"

    static let bracketFaults = [
        Fault("a = # 1", 1, "the value is missing or has no quotes"),
        Fault("a = [1,\n\n,]", 3, "the value is missing or has no quotes"),
        Fault("a = [1\n2]", 2, "a comma or the closing ] is missing"),
        Fault("a = [\n", 2, "the value is missing or has no quotes"),
        Fault("a = [1\n}", 2, "a comma or the closing ] is missing"),
        Fault("a = {\n}", 1, noKey), Fault("a = { b = 1\n}", 1, openTable), Fault("a = { b = 1,\n}", 1, noKey),
        Fault("a = { b = 1, }", 1, noKey), Fault("a = { b = 1 # }", 1, openTable), Fault("a = { b = 1", 1, openTable),
        Fault("a = \(String(repeating: "[", count: 16))", 1, "nested more than 16 deep"),
        Fault("a = \(String(repeating: "{ a = ", count: 16))", 1, "nested more than 16 deep"),
    ]

    @Test(arguments: ["1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "07:32:00", "1979-", "07:x"])
    func dateOrTimeIsRefusedWithItsKey(_ moment: String) {
        let error = #expect(throws: SyntaxError.self) {
            try TOMLReader.entries(of: "[[a]]\n[[a]]\nb = { c = [1,\(moment)] }")
        }
        #expect(error?.line == 3)
        #expect(error?.address?.description == "a[1].b.c[1]")
    }
}
