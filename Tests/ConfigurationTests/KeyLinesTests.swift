import Testing

@testable import Configuration

@Suite struct KeyLinesTests {
    private func address(_ steps: KeyAddress.Step...) -> KeyAddress {
        steps.reduce(KeyAddress()) { $0.appending($1) }
    }

    @Test func tablesListsAndDottedKeysHaveTheirLines() {
        let lines = KeyLines(
            of: """
                top = 1
                [table]
                a.b = 2
                "c d" . 'e' = 3

                [[list]]
                x = 1
                [list.inner]
                y = 1
                [[list]]
                [[list.nested]]
                z = 1
                [[list.nested]]
                z = 2
                """)
        #expect(lines.obstacle == nil)
        let list = KeyAddress.Step.key("list")
        #expect(lines.lines[address(.key("top"))] == 1)
        #expect(lines.lines[address(.key("table"))] == 2)
        #expect(lines.lines[address(.key("table"), .key("a"), .key("b"))] == 3)
        #expect(lines.lines[address(.key("table"), .key("c d"), .key("e"))] == 4)
        #expect(lines.lines[address(list, .index(0))] == 6)
        #expect(lines.lines[address(list, .index(0), .key("x"))] == 7)
        #expect(lines.lines[address(list, .index(0), .key("inner"), .key("y"))] == 9)
        #expect(lines.lines[address(list, .index(1))] == 10)
        #expect(lines.lines[address(list, .index(1), .key("nested"), .index(0), .key("z"))] == 12)
        #expect(lines.lines[address(list, .index(1), .key("nested"), .index(1), .key("z"))] == 14)
        #expect(lines.lines[address(list, .index(2))] == nil)
    }

    @Test(arguments: [
        #"s = "[x] # not a comment \" key = 1""#,
        #"s = '[x] # not a comment \'"#,
        "s = \"\"\"\n[x]\nkey = 1\\\n\\\"\"\" key = 2\n\"\"\"\"\"",
        "s = '''\n[x]\nkey = 1\n\\'''''",
        "s = [ # key = 1\n\"]\", '[', [1, 2],\n { key = 'x', in = [3] },\n]",
        "s = [1e-5, -1, 0xE0, +1.5E-7] # key = 1",
        "s = {}",
        "s = []",
        "s = { key = \"}\", in = { a.b = '{' } }",
    ])
    func whatLooksLikeAKeyInsideAValueIsNone(_ text: String) {
        let keys = KeyLines(of: text + "\n[after]\nkey = 1")
        #expect(keys.obstacle == nil)
        let newlines = text.utf8.count { $0 == UInt8(ascii: "\n") }
        #expect(keys.lines[address(.key("after"))] == newlines + 2)
        #expect(keys.lines[address(.key("after"), .key("key"))] == newlines + 3)
        #expect(keys.lines[address(.key("x"))] == nil)
        #expect(keys.lines[address(.key("key"))] == nil)
    }

    @Test func whatIsNotUnderstoodEndsTheSearch() {
        let keys = KeyLines(of: "a = 1\nb = \"open\nc = 3")
        #expect(keys.obstacle?.line == 2)
        #expect(keys.lines[address(.key("a"))] == 1)
        #expect(keys.lines[address(.key("c"))] == nil)
    }
}
