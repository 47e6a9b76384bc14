/// Reads a reply member by member, for replies that arrive too often for a decoder: it reads what ``ReplyText`` writes,
/// that is, members in the order of their names, no blanks, no `null`, and strings without escapes.
///
/// Ask for each member in that order; one that is absent is `nil`. After anything else, including valid JSON of another
/// form, ``finish()`` is false, and the reply is for a decoder.
public struct ReplyReader: ~Copyable {
    private let bytes: [UInt8]
    private var position = 0
    private var isReadable = true

    /// - Parameter bytes: one message without its NUL.
    /// - Returns: `nil` unless it is a reply with `continues`, and with neither an error nor empty parameters.
    public init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard skip(#"{"continues":true,"parameters":{"#), byte(at: position) == UInt8(ascii: "\"") else { return nil }
    }

    /// Ends the reply.
    /// - Returns: true if there was nothing but the members that were asked for.
    public consuming func finish() -> Bool {
        skip("}}") && isReadable && position == bytes.count
    }

    /// Begins an object.
    /// - Returns: false if it is absent.
    public mutating func begin(_ name: StaticString) -> Bool {
        skipKey(name) && expect("{")
    }

    /// Ends an object.
    public mutating func end() {
        _ = expect("}")
    }

    /// Begins a list of objects.
    /// - Returns: false if it is absent.
    public mutating func beginList(_ name: StaticString) -> Bool {
        skipKey(name) && expect("[")
    }

    /// Begins the list's next object, or ends the list.
    /// - Returns: false if the list has ended.
    public mutating func beginElement() -> Bool {
        if isReadable, skip("]") { return false }
        return (byte(at: position - 1) == UInt8(ascii: "[") || expect(",")) && expect("{")
    }

    /// A member that is a number.
    public mutating func number(_ name: StaticString) -> Double? {
        guard skipKey(name) else { return nil }
        let start = position
        _ = skipSign()
        guard skipDigits(leadingZero: false) else { return fail() }
        if byte(at: position) == UInt8(ascii: ".") {
            position += 1
            guard skipDigits(leadingZero: true) else { return fail() }
        }
        if byte(at: position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if !skipSign(), byte(at: position) == UInt8(ascii: "+") { position += 1 }
            guard skipDigits(leadingZero: true) else { return fail() }
        }
        let written = text(from: start)
        // What is too large or too small for a number is the decoder's to judge.
        guard let number = Double(written), number.isFinite, number != 0 || written == "0" || written == "-0" else {
            return fail()
        }
        return number
    }

    /// A member that is an integer.
    public mutating func integer<Integer: FixedWidthInteger>(
        _ name: StaticString, as type: Integer.Type = Integer.self
    ) -> Integer? {
        guard skipKey(name) else { return nil }
        let start = position
        _ = skipSign()
        // A fraction or an exponent is no member's beginning, and is found by what is read next.
        guard skipDigits(leadingZero: false), let integer = Integer(text(from: start)) else { return fail() }
        return integer
    }

    /// A member that is true or false.
    public mutating func flag(_ name: StaticString) -> Bool? {
        guard skipKey(name) else { return nil }
        if skip("true") { return true }
        return skip("false") ? false : fail()
    }

    /// A member that is a string.
    public mutating func text(_ name: StaticString) -> String? {
        guard skipKey(name), expect("\"") else { return nil }
        let start = position
        while byte(at: position) >= 0x20, byte(at: position) != UInt8(ascii: "\""),
            byte(at: position) != UInt8(ascii: "\\")
        {
            position += 1
        }
        guard let text = String(validating: bytes[start..<position], as: UTF8.self) else { return fail() }
        return expect("\"") ? text : nil
    }

    /// Leaves the reply to a decoder, as for a value that is out of range.
    public mutating func fail<Value>() -> Value? {
        isReadable = false
        return nil
    }

    // MARK: Tokens

    /// 0 after the end, which is in no token.
    private func byte(at position: Int) -> UInt8 { position < bytes.count ? bytes[position] : 0 }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    private func isAt(_ position: Int, _ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard isAt(position, text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    private mutating func expect(_ text: StaticString) -> Bool {
        if !skip(text) { isReadable = false }
        return isReadable
    }

    /// Moves to a member's value; stays where it is if the next member has another name.
    private mutating func skipKey(_ name: StaticString) -> Bool {
        guard isReadable else { return false }
        var start = position
        if byte(at: start - 1) != UInt8(ascii: "{") {
            guard byte(at: start) == UInt8(ascii: ",") else { return false }
            start += 1
        }
        let end = start + 1 + name.utf8CodeUnitCount
        guard byte(at: start) == UInt8(ascii: "\""), isAt(start + 1, name), isAt(end, "\":") else { return false }
        position = end + 2
        return true
    }

    private mutating func skipSign() -> Bool {
        guard byte(at: position) == UInt8(ascii: "-") else { return false }
        position += 1
        return true
    }

    /// - Parameter leadingZero: true if more digits may follow a zero.
    private mutating func skipDigits(leadingZero: Bool) -> Bool {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte(at: position)) { position += 1 }
        return position > start && (leadingZero || position == start + 1 || bytes[start] != UInt8(ascii: "0"))
    }
}
