/// The line of every key of a TOML text, which the parser does not tell.
///
/// This is no second parser: it follows only what it needs to tell keys from the insides of strings, lists and
/// comments. Where it does not understand it stops, so an address has the right line or none.
struct KeyLines {
    /// More than any key of ours has; the parser's stack does not survive a key of many thousand parts.
    static let deepest = 16

    private(set) var lines: [KeyAddress: Int] = [:]
    /// The line of the first key with more than ``deepest`` parts, or of the first value nested deeper.
    private(set) var lineOfTooDeepNesting: Int?
    /// Whether all of the text was understood.
    private(set) var isComplete = false

    private var cursor: TextCursor
    /// How many tables each list of tables has so far; the last one is where `[list.key]` belongs.
    private var tableCounts: [KeyAddress: Int] = [:]

    /// Looks through any text, valid TOML or not, in one pass.
    init(of text: String) {
        cursor = TextCursor(text)
        scanDocument()
    }

    private mutating func scanDocument() {
        var table = KeyAddress()
        while true {
            cursor.skipBlanksAndComments()
            guard !cursor.isAtEnd else {
                isComplete = true
                return
            }
            if cursor.skip("[") {
                guard let header = scanHeader() else { return }
                table = header
            } else {
                guard scanPair(in: table, depth: 0) else { return }
            }
            cursor.skipSpaces()
            cursor.skipComment()
            guard cursor.isAtEnd || cursor.skip("\n") || cursor.skip("\r") else { return }
        }
    }

    /// What follows the first `[` of a `[table]` or a `[[list of tables]]`.
    private mutating func scanHeader() -> KeyAddress? {
        let isList = cursor.skip("[")
        let line = cursor.line
        guard let key = scanKey(), cursor.skip("]"), !isList || cursor.skip("]") else { return nil }
        var address = KeyAddress()
        for part in key {
            if let count = tableCounts[address] { address = address.appending(count - 1) }
            address = address.appending(part)
            note(address, at: line)
        }
        if isList {
            let index = tableCounts[address, default: 0]
            tableCounts[address] = index + 1
            address = address.appending(index)
        } else if let count = tableCounts[address] {
            address = address.appending(count - 1)
        }
        note(address, at: line)
        return address
    }

    /// `key = value`; false where it is something else.
    private mutating func scanPair(in table: KeyAddress, depth: Int) -> Bool {
        let line = cursor.line
        guard let key = scanKey(), cursor.skip("=") else { return false }
        var address = table
        for part in key {
            address = address.appending(part)
            note(address, at: line)
        }
        return scanValue(at: address, depth: depth)
    }

    private mutating func scanKey() -> [String]? {
        var parts: [String] = []
        repeat {
            cursor.skipSpaces()
            guard let part = cursor.keyPart() else { return nil }
            parts.append(part)
            cursor.skipSpaces()
            guard parts.count <= Self.deepest else {
                lineOfTooDeepNesting = cursor.line
                return nil
            }
        } while cursor.skip(".")
        return parts
    }

    private mutating func scanValue(at address: KeyAddress, depth: Int) -> Bool {
        guard depth < Self.deepest else {
            lineOfTooDeepNesting = cursor.line
            return false
        }
        cursor.skipSpaces()
        if cursor.skip("[") { return scanList(at: address, depth: depth + 1) }
        if cursor.skip("{") { return scanInlineTable(at: address, depth: depth + 1) }
        return cursor.skipString() ?? cursor.skipBareValue()
    }

    private mutating func scanList(at address: KeyAddress, depth: Int) -> Bool {
        var index = 0
        while true {
            cursor.skipBlanksAndComments()
            if cursor.skip("]") { return true }
            let element = address.appending(index)
            note(element, at: cursor.line)
            guard scanValue(at: element, depth: depth) else { return false }
            index += 1
            cursor.skipBlanksAndComments()
            guard cursor.skip(",") || cursor.isAt("]") else { return false }
        }
    }

    private mutating func scanInlineTable(at address: KeyAddress, depth: Int) -> Bool {
        cursor.skipSpaces()
        if cursor.skip("}") { return true }
        while true {
            guard scanPair(in: address, depth: depth) else { return false }
            cursor.skipSpaces()
            if cursor.skip("}") { return true }
            guard cursor.skip(",") else { return false }
        }
    }

    /// The first mention is the one to look at: a later one only reopens the table.
    private mutating func note(_ address: KeyAddress, at line: Int) {
        if lines[address] == nil { lines[address] = line }
    }
}
