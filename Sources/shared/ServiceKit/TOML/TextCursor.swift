/// A position in a TOML text, with its line number.
struct TextCursor {
    /// The line, counted from 1.
    private(set) var line = 1
    private let bytes: [UInt8]
    private var position = 0

    /// Starts at the beginning, after a byte order mark.
    ///
    /// - Throws: The place of a control character, which TOML does not allow, not even in a comment.
    init(_ text: String) throws(SyntaxError) {
        // From here on lines end with a newline only, also within a string.
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

    /// Consumes the next byte; `nil` at the end.
    mutating func next() -> UInt8? {
        guard let byte = current else { return nil }
        if byte == UInt8(ascii: "\n") { line += 1 }
        position += 1
        return byte
    }

    /// Consumes the character if it is next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool { isAt(character) && next() != nil }

    /// Consumes three quotes if they are next.
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

    /// Consumes all characters of a key without quotes; empty if there are none.
    ///
    /// - Parameter others: Further characters to accept, which a number may have.
    mutating func word(with others: String = "") -> String {
        let start = position
        while let byte = current, byte.isBareKey || others.utf8.contains(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }
}

extension TextCursor {
    /// Parses a string of any of the four kinds; `nil` if the next character is no quote.
    ///
    /// - Parameter mayBeLong: Whether triple quotes and line breaks are allowed; they are not in a key.
    mutating func string(mayBeLong: Bool) throws(SyntaxError) -> String? {
        for quote in ["\"", "'"] as [Unicode.Scalar] {
            if mayBeLong, skip(threeTimes: quote) { return try text(upTo: quote, isLong: true) }
            if skip(quote) { return try text(upTo: quote, isLong: false) }
        }
        return nil
    }

    private mutating func text(upTo quote: Unicode.Scalar, isLong: Bool) throws(SyntaxError) -> String {
        let start = line
        var text: [UInt8] = []
        if isLong { _ = skip("\n") }
        while isLong || !isAt("\n") {
            if isLong ? skip(threeTimes: quote) : skip(quote) {
                // Up to two quotes may precede the closing three.
                for _ in 0..<2 where isLong && skip(quote) { text.append(UInt8(ascii: quote)) }
                return String(decoding: text, as: UTF8.self)
            }
            if quote == "\"", skip("\\") {
                if !(isLong && skipLineEnd()) { text += try escapedCharacter().utf8 }
            } else {
                guard let byte = next() else { break }
                text.append(byte)
            }
        }
        throw SyntaxError(at: start, "the text that begins here has no closing quote")
    }

    /// Skips the end of the line and all blanks after it, as a backslash does in a long string.
    private mutating func skipLineEnd() -> Bool {
        var ahead = self
        ahead.skipSpaces()
        guard ahead.isAt("\n") else { return false }
        while ahead.skip("\n") { ahead.skipSpaces() }
        self = ahead
        return true
    }

    /// Parses the characters after a backslash.
    private mutating func escapedCharacter() throws(SyntaxError) -> String {
        let start = line
        switch next().map({ Unicode.Scalar($0) }) {
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "\"": return "\""
        case "\\": return "\\"
        case "u": return try character(digits: 4)
        case "U": return try character(digits: 8)
        default: throw SyntaxError(at: start, "a backslash begins none of TOML's escapes; \\\\ stands for itself")
        }
    }

    private mutating func character(digits: Int) throws(SyntaxError) -> String {
        let start = line
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw SyntaxError(at: start, "an escape has fewer than \(digits) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
        }
        // TOML allows NUL, but C strings end at one.
        guard value != 0, let scalar = Unicode.Scalar(value) else {
            throw SyntaxError(at: start, "an escape stands for \(value == 0 ? "a NUL" : "no") character")
        }
        return String(Character(scalar))
    }
}
