/// Builds a reply member by member, for replies that are sent too often for an encoder: it produces the bytes of
/// ``MessageEncoder/reply(_:continues:)`` at a tenth of its cost. Members are added in the order of their names.
///
/// It writes into memory of its own, because each append to an array costs more than the few bytes that it appends.
public struct ReplyText: ~Copyable {
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0
    private var isWritable = true

    /// Begins a reply with `continues`.
    /// - Parameter capacity: enough bytes for a typical reply.
    public init(capacity: Int) {
        self.capacity = max(64, capacity)
        memory = .allocate(capacity: self.capacity)
        append(#"{"continues":true,"parameters":{"#)
    }

    /// The message with its NUL; `nil` if a number was not finite.
    public consuming func finish() -> [UInt8]? {
        append("}}\0")
        return isWritable ? Array(UnsafeBufferPointer(start: memory, count: count)) : nil
    }

    deinit {
        memory.deallocate()
    }

    /// Begins an object.
    public mutating func begin(_ name: StaticString) {
        key(name)
        append("{")
    }

    /// Ends an object.
    public mutating func end() {
        append("}")
    }

    /// Begins a list of objects.
    public mutating func beginList(_ name: StaticString) {
        key(name)
        append("[")
    }

    /// Ends a list.
    public mutating func endList() {
        append("]")
    }

    /// Begins a list's next object, which ``end()`` ends.
    public mutating func beginElement() {
        append(last == UInt8(ascii: "[") ? "{" : ",{")
    }

    /// Adds a number unless it is `nil`.
    public mutating func add(_ name: StaticString, _ number: Double?) {
        guard let number else { return }
        key(name)
        isWritable = isWritable && number.isFinite
        var text = number.description
        text.withUTF8 { append($0) }
        // Integers are written without a fraction.
        if last == UInt8(ascii: "0"), memory[count - 2] == UInt8(ascii: ".") { count -= 2 }
    }

    /// Adds an integer unless it is `nil`.
    public mutating func add(_ name: StaticString, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        key(name)
        var text = String(number)
        text.withUTF8 { append($0) }
    }

    /// Adds true or false.
    public mutating func add(_ name: StaticString, _ truth: Bool) {
        key(name)
        append(truth ? "true" : "false")
    }

    /// Adds a string unless it is `nil`.
    public mutating func add(_ name: StaticString, _ text: String?) {
        guard var text else { return }
        key(name)
        append("\"")
        text.withUTF8 { text in
            if text.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                append(text)
            } else {
                for byte in text { append(escaping: byte) }
            }
        }
        append("\"")
    }

    /// The last byte; there is always one, because a reply begins with some.
    private var last: UInt8 { memory[count - 1] }

    private mutating func key(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        // The name with a comma, two quotes and a colon.
        if count + length + 4 > capacity { grow(by: length + 4) }
        if last != UInt8(ascii: "{") { put(UInt8(ascii: ",")) }
        put(UInt8(ascii: "\""))
        (memory + count).update(from: name.utf8Start, count: length)
        count += length
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
    }

    /// Writes a byte that there is room for.
    private mutating func put(_ byte: UInt8) {
        memory[count] = byte
        count += 1
    }

    private mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress else { return }
        if count + text.count > capacity { grow(by: text.count) }
        (memory + count).update(from: start, count: text.count)
        count += text.count
    }

    private mutating func grow(by more: Int) {
        let greater = max(capacity * 2, count + more)
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: greater)
        new.update(from: memory, count: count)
        memory.deallocate()
        (memory, capacity) = (new, greater)
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
            var digit = String(byte & 0xF, radix: 16)
            digit.withUTF8 { append($0) }
        default: withUnsafePointer(to: byte) { append(UnsafeBufferPointer(start: $0, count: 1)) }
        }
    }
}
