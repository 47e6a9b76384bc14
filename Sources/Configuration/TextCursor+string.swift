extension TextCursor {
    /// Reads a string of any of the four kinds; `nil` where none begins.
    ///
    /// - Parameter mayBeLong: Whether it may have several lines between three quotes; a key may not.
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
                // Up to two quotes may stand right before the closing three.
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

    /// Steps over the end of the line and all blanks after it, which a backslash takes out of a long string.
    private mutating func skipLineEnd() -> Bool {
        var ahead = self
        ahead.skipSpaces()
        guard ahead.isAt("\n") else { return false }
        while ahead.skip("\n") { ahead.skipSpaces() }
        self = ahead
        return true
    }

    /// What follows a backslash.
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
        // TOML would take a NUL, but the system's strings end at one.
        guard value != 0, let scalar = Unicode.Scalar(value) else {
            throw SyntaxError(at: start, "an escape stands for \(value == 0 ? "a NUL" : "no") character")
        }
        return String(Character(scalar))
    }
}
