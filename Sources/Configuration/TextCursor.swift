/// A place in a TOML text, which knows its line and steps over one thing at a time.
struct TextCursor {
    /// The line, counted from 1.
    private(set) var line = 1
    private let bytes: [UInt8]
    private var position = 0

    /// Starts at the beginning, after a byte order mark.
    init(_ text: String) {
        bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    var isAtEnd: Bool { position >= bytes.count }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func isAt(_ character: Unicode.Scalar) -> Bool { current == UInt8(ascii: character) }

    /// Steps over the character if it is next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isAt(character) else { return false }
        advance()
        return true
    }

    private mutating func skip(threeTimes quote: Unicode.Scalar) -> Bool {
        let quotes = [UInt8](repeating: UInt8(ascii: quote), count: 3)
        guard bytes[position...].starts(with: quotes) else { return false }
        position += 3
        return true
    }

    private mutating func advance() {
        if isAt("\n") { line += 1 }
        position += 1
    }

    mutating func skipSpaces() {
        while isAt(" ") || isAt("\t") { position += 1 }
    }

    mutating func skipComment() {
        guard isAt("#") else { return }
        while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
    }

    mutating func skipBlanksAndComments() {
        while isAt(" ") || isAt("\t") || isAt("\n") || isAt("\r") || isAt("#") {
            if isAt("#") { skipComment() } else { advance() }
        }
    }

    /// What a value without quotes looks like.
    enum BareValue {
        case numberOrWord
        case dateOrTime
    }

    /// Steps over a number, a word or the first part of a date.
    /// - Returns: `nil` where there is none.
    mutating func skipBareValue() -> BareValue? {
        let start = position
        while let byte = current, byte.isBareKey || "+.:".utf8.contains(byte) { position += 1 }
        let value = bytes[start..<position]
        guard let first = value.first else { return nil }
        // A minus sign inside a number follows the letter of its exponent.
        let isDate = first.isDigit && value.contains(UInt8(ascii: "-")) && !value.contains { $0 | 0x20 == 0x65 }
        return isDate || value.contains(UInt8(ascii: ":")) ? .dateOrTime : .numberOrWord
    }

    /// Steps over a string of any of the four kinds.
    /// - Returns: Whether it was whole; `nil` where no string begins.
    mutating func skipString() -> Bool? {
        for (quote, hasEscapes) in [("\"", true), ("'", false)] as [(Unicode.Scalar, Bool)] {
            if skip(threeTimes: quote) { return skipLongString(quote, hasEscapes: hasEscapes) }
            if isAt(quote) { return quotedText() != nil }
        }
        return nil
    }

    private mutating func skipLongString(_ quote: Unicode.Scalar, hasEscapes: Bool) -> Bool {
        while !isAtEnd {
            if skip(threeTimes: quote) {
                // Up to two quotes may stand right before the closing three.
                if skip(quote) { _ = skip(quote) }
                return true
            }
            if hasEscapes, skip("\\") {
                guard !isAtEnd else { return false }
            }
            advance()
        }
        return false
    }

    /// Reads one part of a key, bare or quoted.
    mutating func keyPart() -> String? {
        if isAt("\"") || isAt("'") { return quotedText() }
        let start = position
        while let byte = current, byte.isBareKey { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// Reads a string of one line; `nil` where it does not end there or has an escape that TOML does not know.
    private mutating func quotedText() -> String? {
        let hasEscapes = isAt("\"")
        let quote = bytes[position]
        position += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\n") {
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if hasEscapes, byte == UInt8(ascii: "\\") {
                guard let scalar = escapedScalar() else { return nil }
                text.append(contentsOf: Array(String(Character(scalar)).utf8))
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    /// What follows a backslash.
    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let letter = current else { return nil }
        position += 1
        switch Unicode.Scalar(letter) {
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "\"": return "\""
        case "\\": return "\\"
        case "u": return hexadecimalScalar(digits: 4)
        case "U": return hexadecimalScalar(digits: 8)
        default: return nil
        }
    }

    private mutating func hexadecimalScalar(digits: Int) -> Unicode.Scalar? {
        let end = position + digits
        guard end <= bytes.count else { return nil }
        defer { position = end }
        return UInt32(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
