/// Builds a reply member by member, for replies that are sent too often for an encoder: it produces the bytes of
/// ``MessageEncoder/reply(_:continues:)`` at a sixth of its cost. Members are added in the order of their names.
package struct ReplyText: ~Copyable {
    private var bytes: [UInt8] = []
    private var isWritable = true

    /// Begins a reply with `continues`.
    /// - Parameter capacity: enough bytes for a typical reply.
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

    /// Begins a list of objects.
    package mutating func beginList(_ name: StaticString) {
        key(name)
        append("[")
    }

    package mutating func endList() {
        append("]")
    }

    /// Begins a list's next object, which ``end()`` ends.
    package mutating func beginElement() {
        append(bytes.last == UInt8(ascii: "[") ? "{" : ",{")
    }

    /// Adds a number unless it is `nil`.
    package mutating func add(_ name: StaticString, _ number: Double?) {
        guard let number else { return }
        key(name)
        isWritable = isWritable && number.isFinite
        bytes.append(contentsOf: number.description.utf8)
        // Integers are written without a fraction.
        if bytes.last == UInt8(ascii: "0"), bytes[bytes.count - 2] == UInt8(ascii: ".") { bytes.removeLast(2) }
    }

    /// Adds an integer unless it is `nil`.
    package mutating func add(_ name: StaticString, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        key(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func add(_ name: StaticString, _ truth: Bool) {
        key(name)
        append(truth ? "true" : "false")
    }

    /// Adds a string unless it is `nil`.
    package mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        append("\"")
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { append(escaping: byte) }
        }
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
