/// A reply put down member by member, for what is sent too often to go through an encoder: the bytes that
/// ``MessageEncoder/reply(_:continues:)`` gives, for a sixth of its price. Members come in the order of their names.
package struct ReplyText: ~Copyable {
    private var bytes: [UInt8] = []
    private var isWritable = true

    /// Begins a reply that others follow.
    /// - Parameter capacity: bytes that will be enough for a usual one.
    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
        append(#"{"continues":true,"parameters":{"#)
    }

    /// The message with its NUL; `nil` if a number was not finite.
    package consuming func finish() -> [UInt8]? {
        append("}}\0")
        return isWritable ? bytes : nil
    }

    package mutating func begin(_ name: StaticString) {
        key(name)
        append("{")
    }

    package mutating func end() {
        append("}")
    }

    /// Adds a number, if there is one.
    package mutating func add(_ name: StaticString, _ number: Double?) {
        guard let number else { return }
        key(name)
        isWritable = isWritable && number.isFinite
        bytes.append(contentsOf: number.description.utf8)
        // Whole numbers are written as such.
        if bytes.suffix(2).elementsEqual(".0".utf8) { bytes.removeLast(2) }
    }

    /// Adds a whole number, if there is one.
    package mutating func add(_ name: StaticString, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        key(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func add(_ name: StaticString, _ truth: Bool) {
        key(name)
        append(truth ? "true" : "false")
    }

    /// Adds a text, if there is one.
    package mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        append("\"")
        for byte in text.utf8 { append(escaping: byte) }
        append("\"")
    }

    private mutating func key(_ name: StaticString) {
        append(bytes.last == UInt8(ascii: "{") ? "\"" : ",\"")
        append(name)
        append("\":")
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#)
        case UInt8(ascii: "\\"): append(#"\\"#)
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        case 0..<0x20:
            append(byte < 0x10 ? #"\u000"# : #"\u001"#)
            bytes.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}
