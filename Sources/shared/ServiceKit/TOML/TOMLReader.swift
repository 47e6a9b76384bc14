/// Parses TOML 1.0, except dates and times, which no key accepts, and deep nesting.
///
/// The parser recurses, so the depth of nesting has to be limited.
struct TOMLReader {
    /// The most parts of a key, and the deepest nesting of lists and tables: more than any configuration needs.
    static let deepest = 16

    private var cursor: TextCursor

    /// The values of a text, each with its line.
    static func entries(of text: String) throws(SyntaxError) -> [String: Node.Entry] {
        var reader = TOMLReader(cursor: try TextCursor(text))
        return try reader.document()
    }

    private func mistake(_ problem: String) -> SyntaxError { SyntaxError(at: cursor.line, problem) }

    private mutating func document() throws(SyntaxError) -> [String: Node.Entry] {
        let root = TableDraft()
        var table = root
        while true {
            cursor.skipBlanksAndComments()
            guard !cursor.isAtEnd else { return root.entries }
            if cursor.skip("[") {
                table = try header(in: root)
            } else {
                try pair(in: table, depth: 0)
            }
            cursor.skipSpaces()
            cursor.skipComment()
            guard cursor.isAtEnd || cursor.isAt("\n") else {
                throw mistake("there is more on the line than there may be")
            }
        }
    }

    /// Parses the rest of `[table]` or `[[list of tables]]` after the first `[`.
    private mutating func header(in root: TableDraft) throws(SyntaxError) -> TableDraft {
        let isList = cursor.skip("[")
        let key = try key()
        guard cursor.skip("]"), !isList || cursor.skip("]") else {
            throw mistake("the closing \(isList ? "]]" : "]") is missing")
        }
        return isList
            ? try root.append(key.name, in: key.parents, at: cursor.line)
            : try root.open(key.name, in: key.parents, at: cursor.line)
    }

    /// Parses `key = value`.
    private mutating func pair(in table: TableDraft, depth: Int) throws(SyntaxError) {
        let line = cursor.line
        let key = try key()
        guard cursor.skip("=") else { throw mistake("= is missing after the key") }
        let owner = try table.table(ofDottedKey: key.parents, at: line)
        let node = try value(at: owner.address.appending(key.name), depth: depth)
        try owner.add(Node.Entry(line: line, node: node), as: key.name)
    }

    private mutating func key() throws(SyntaxError) -> (parents: [String], name: String) {
        var parents: [String] = []
        var name = try keyPart()
        while cursor.skip(".") {
            parents.append(name)
            guard parents.count < Self.deepest else { throw mistake(Self.tooDeep) }
            name = try keyPart()
        }
        return (parents, name)
    }

    /// Parses a bare or quoted key with the blanks around it.
    private mutating func keyPart() throws(SyntaxError) -> String {
        cursor.skipSpaces()
        defer { cursor.skipSpaces() }
        if let text = try cursor.string(mayBeLong: false) { return text }
        let word = cursor.word()
        guard !word.isEmpty else { throw mistake("a key is missing or has a character that wants quotes") }
        return word
    }

    private mutating func value(at address: KeyAddress, depth: Int) throws(SyntaxError) -> Node {
        guard depth < Self.deepest else { throw mistake(Self.tooDeep) }
        cursor.skipSpaces()
        if cursor.skip("[") { return .list(try list(at: address, depth: depth + 1)) }
        if cursor.skip("{") { return .table(try inlineTable(at: address, depth: depth + 1)) }
        if let text = try cursor.string(mayBeLong: true) { return .text(text) }
        let word = cursor.word(with: "+.:")
        if let node = Node(word: word) { return node }
        guard !word.isEmpty else { throw mistake("the value is missing or has no quotes") }
        guard Node.isDateOrTime(word) else {
            throw mistake("\(word.quoted) is no boolean and no number of 64 bits, and text wants quotes")
        }
        var mistake = mistake("is a date or time, which no key accepts")
        mistake.address = address
        throw mistake
    }

    private mutating func list(at address: KeyAddress, depth: Int) throws(SyntaxError) -> [Node.Entry] {
        var elements: [Node.Entry] = []
        while true {
            cursor.skipBlanksAndComments()
            if cursor.skip("]") { return elements }
            let line = cursor.line
            let node = try value(at: address.appending(elements.count), depth: depth)
            elements.append(Node.Entry(line: line, node: node))
            cursor.skipBlanksAndComments()
            guard cursor.skip(",") || cursor.isAt("]") else { throw mistake("a comma or the closing ] is missing") }
        }
    }

    private mutating func inlineTable(at address: KeyAddress, depth: Int) throws(SyntaxError) -> [String: Node.Entry] {
        let table = TableDraft(at: address)
        cursor.skipSpaces()
        if cursor.skip("}") { return [:] }
        repeat {
            try pair(in: table, depth: depth)
            cursor.skipSpaces()
            if cursor.skip("}") { return table.entries }
        } while cursor.skip(",")
        throw mistake("a comma or the closing } is missing")
    }

    private static let tooDeep = "nested more than \(deepest) deep"
}
