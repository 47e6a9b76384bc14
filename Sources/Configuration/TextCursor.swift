/// A place in a TOML text, which knows its line and steps over one thing at a time.
struct TextCursor {
    /// The line, counted from 1.
    private(set) var line = 1
    private let bytes: [UInt8]
    private var position = 0

    /// Starts at the beginning, after a byte order mark.
    ///
    /// - Throws: Where there is a control character, which TOML has no place for, not even in a comment.
    init(_ text: String) throws(SyntaxError) {
        // From here on a line ends with a newline alone, also within a string.
        var bytes: [UInt8] = []
        var line = 1
        var unicode = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        while let byte = unicode.popFirst() {
            switch byte {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: "\r") where unicode.first == UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\t"), 0x20..<0x7F, 0x80...: break
            default: throw SyntaxError(at: line, byte == 0 ? "a NUL character" : "a control character")
            }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    var isAtEnd: Bool { position >= bytes.count }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func isAt(_ character: Unicode.Scalar) -> Bool { current == UInt8(ascii: character) }

    /// Takes the next byte, if there is one.
    mutating func next() -> UInt8? {
        guard let byte = current else { return nil }
        if byte == UInt8(ascii: "\n") { line += 1 }
        position += 1
        return byte
    }

    /// Steps over the character if it is next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool { isAt(character) && next() != nil }

    /// Steps over three quotes if they are next.
    mutating func skip(threeTimes quote: Unicode.Scalar) -> Bool {
        guard bytes[position...].prefix(3).count(where: { $0 == UInt8(ascii: quote) }) == 3 else { return false }
        position += 3
        return true
    }

    mutating func skipSpaces() {
        while isAt(" ") || isAt("\t") { position += 1 }
    }

    mutating func skipComment() {
        guard isAt("#") else { return }
        while !isAtEnd, !isAt("\n") { position += 1 }
    }

    mutating func skipBlanksAndComments() {
        repeat {
            skipSpaces()
            skipComment()
        } while skip("\n")
    }

    /// Takes all that may stand in a key without quotes; empty where there is nothing of it.
    ///
    /// - Parameter others: Further characters to take, which a number may have.
    mutating func word(with others: String = "") -> String {
        let start = position
        while let byte = current, byte.isBareKey || others.utf8.contains(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }
}
