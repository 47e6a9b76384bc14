/// The line of every key of a TOML text, which the parser does not tell.
///
/// This is no second parser: it follows only what it needs to tell keys from the insides of strings, lists and
/// comments, and stops where it cannot, so an address has the right line or none. Of TOML it stops only at dates, which
/// no key takes, and at what is nested too deeply. What it stops at must not reach the parser, which ends the process
/// over some texts that are no TOML, such as a header `[=]` or half a date, and over nesting that the stack cannot take.
struct KeyLines {
    /// Why it stopped.
    struct Obstacle {
        let line: Int
        /// Where it is a value in the wrong place rather than no TOML, its key.
        var address: KeyAddress?
        let problem: String
    }

    /// The most parts a key may have, and the most lists and tables that may stand in each other: more than we need.
    static let deepest = 16

    private(set) var lines: [KeyAddress: Int] = [:]
    /// `nil` where all of the text was understood.
    private(set) var obstacle: Obstacle?

    private var cursor: TextCursor
    /// How many tables each list of tables has so far; the last one is where `[list.key]` belongs.
    private var tableCounts: [KeyAddress: Int] = [:]

    /// Looks through any text, valid TOML or not, in one pass.
    init(of text: String) {
        cursor = TextCursor(text)
        scanDocument()
    }

    /// Notes the first reason to stop, and is false.
    private mutating func stop(_ problem: String, at line: Int? = nil) -> Bool {
        if obstacle == nil { obstacle = Obstacle(line: line ?? cursor.line, problem: problem) }
        return false
    }

    private mutating func scanDocument() {
        var table = KeyAddress()
        while true {
            cursor.skipBlanksAndComments()
            guard !cursor.isAtEnd else { return }
            if cursor.skip("[") {
                guard let header = scanHeader() else { return }
                table = header
            } else {
                guard scanPair(in: table, depth: 0) else { return }
            }
            cursor.skipSpaces()
            cursor.skipComment()
            guard cursor.isAtEnd || cursor.skip("\n") || cursor.skip("\r") else {
                _ = stop("there is more on the line than there may be")
                return
            }
        }
    }

    /// What follows the first `[` of a `[table]` or a `[[list of tables]]`.
    private mutating func scanHeader() -> KeyAddress? {
        let isList = cursor.skip("[")
        let line = cursor.line
        guard let key = scanKey() else { return nil }
        guard cursor.skip("]"), !isList || cursor.skip("]") else {
            _ = stop("the closing \(isList ? "]]" : "]") is missing")
            return nil
        }
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
        guard let key = scanKey() else { return false }
        guard cursor.skip("=") else { return stop("= is missing after the key") }
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
            guard let part = cursor.keyPart() else {
                _ = stop("a key is missing, has no closing quote or has a character that wants quotes")
                return nil
            }
            parts.append(part)
            cursor.skipSpaces()
            guard parts.count <= Self.deepest else {
                _ = stop(Self.tooDeep)
                return nil
            }
        } while cursor.skip(".")
        return parts
    }

    private mutating func scanValue(at address: KeyAddress, depth: Int) -> Bool {
        guard depth < Self.deepest else { return stop(Self.tooDeep) }
        cursor.skipSpaces()
        if cursor.skip("[") { return scanList(at: address, depth: depth + 1) }
        if cursor.skip("{") { return scanInlineTable(at: address, depth: depth + 1) }
        let line = cursor.line
        if let isWhole = cursor.skipString() {
            return isWhole || stop("the string has no closing quote or an unknown escape", at: line)
        }
        switch cursor.skipBareValue() {
        case .numberOrWord: return true
        case .dateOrTime:
            obstacle = Obstacle(line: line, address: address, problem: "is a date or time, which no key takes")
            return false
        case nil: return stop("the value is missing or has no quotes")
        }
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
            guard cursor.skip(",") || cursor.isAt("]") else { return stop("a comma or the closing ] is missing") }
        }
    }

    private mutating func scanInlineTable(at address: KeyAddress, depth: Int) -> Bool {
        cursor.skipSpaces()
        if cursor.skip("}") { return true }
        while true {
            guard scanPair(in: address, depth: depth) else { return false }
            cursor.skipSpaces()
            if cursor.skip("}") { return true }
            guard cursor.skip(",") else { return stop("a comma or the closing } is missing") }
        }
    }

    private static let tooDeep = "nested more than \(deepest) deep"

    /// The first mention is the one to look at: a later one only reopens the table.
    private mutating func note(_ address: KeyAddress, at line: Int) {
        if lines[address] == nil { lines[address] = line }
    }
}
