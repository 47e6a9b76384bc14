import Testing

@testable import ServiceKit

@Suite struct DocumentLinesTests {
    private func address(_ steps: KeyAddress.Step...) -> KeyAddress {
        steps.reduce(KeyAddress()) { $0.appending($1) }
    }

    @Test func tablesListsAndDottedKeysHaveTheirLines() throws {
        let text = """
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
            [table.later]
            [implied.first]
            [implied]
            [last]
            items = [
              1, 2,
              { a = 3 }]
            """
        let document = try Document(text, origin: "locationd.toml")
        let (table, list) = (KeyAddress.Step.key("table"), KeyAddress.Step.key("list"))
        let expected: [(KeyAddress, Int)] = [
            (address(.key("top")), 1),
            (address(table), 2), (address(table, .key("a")), 3), (address(table, .key("a"), .key("b")), 3),
            (address(table, .key("c d"), .key("e")), 4),
            (address(list), 6), (address(list, .index(0)), 6), (address(list, .index(0), .key("x")), 7),
            (address(list, .index(0), .key("inner"), .key("y")), 9),
            (address(list, .index(1)), 10),
            (address(list, .index(1), .key("nested"), .index(0), .key("z")), 12),
            (address(list, .index(1), .key("nested"), .index(1), .key("z")), 14),
            (address(table, .key("later")), 15), (address(.key("implied")), 16),
            (address(.key("last"), .key("items"), .index(1)), 20),
            (address(.key("last"), .key("items"), .index(2), .key("a")), 21),
        ]
        for (place, line) in expected { #expect(document.line(of: place) == line, "\(place)") }
        for absent in [
            address(), address(list, .index(2)), address(list, .index(-1)), address(list, .key("x")),
            address(table, .index(0)), address(.key("top"), .key("x")), address(.key("absent"), .key("top")),
        ] { #expect(document.line(of: absent) == nil, "\(absent)") }
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
    func whatLooksLikeAKeyInsideAValueIsNone(_ text: String) throws {
        let document = try Document(text + "\n[after]\nkey = 1", origin: "locationd.toml")
        let newlines = text.utf8.count { $0 == UInt8(ascii: "\n") }
        #expect(document.line(of: address(.key("after"))) == newlines + 2)
        #expect(document.line(of: address(.key("after"), .key("key"))) == newlines + 3)
        #expect(document.line(of: address(.key("x"))) == nil)
        #expect(document.line(of: address(.key("key"))) == nil)
    }
}
