/// Builds one line of gpsd's protocol member by member, with gpsd's numbers of decimals. What is absent, or cannot be
/// written, is left out: no line has a number that is not finite.
struct LineText: ~Copyable {
    private var bytes: [UInt8] = []

    /// Begins the object.
    /// - Parameter capacity: enough bytes for a typical line.
    init(class name: StaticString, capacity: Int) {
        bytes.reserveCapacity(capacity)
        append(#"{"class":""#)
        append(name)
        append("\"")
    }

    /// Ends the object, and the line with it.
    consuming func line() -> [UInt8] {
        append("}\r\n")
        return bytes
    }

    /// Bytes so far.
    var count: Int { bytes.count }

    /// Adds a number rounded to this many decimals, 0...9.
    mutating func add(_ name: StaticString, _ number: Double?, places: Int) {
        guard let number, let units = Int64(exactly: (number * Self.scales[places]).rounded()) else { return }
        key(name)
        append(units, places: places)
    }

    mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        key(name)
        append(Int64(number), places: 0)
    }

    mutating func add(_ name: StaticString, _ truth: Bool) {
        key(name)
        append(truth ? "true" : "false")
    }

    mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        append(quoting: text)
    }

    mutating func beginList(_ name: StaticString) {
        key(name)
        append("[")
    }

    mutating func endList() {
        append("]")
    }

    /// Begins an object in a list.
    mutating func beginElement() {
        if bytes.last != UInt8(ascii: "[") { append(",") }
        append("{")
    }

    mutating func endElement() {
        append("}")
    }

    /// Adds a finished line's object to a list.
    mutating func addElement(line: [UInt8]) {
        if bytes.last != UInt8(ascii: "[") { append(",") }
        bytes.append(contentsOf: line.dropLast(2))
    }

    private static let scales: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    private mutating func append(_ units: Int64, places: Int) {
        if units < 0 { append("-") }
        var rest = units.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
            // 20 digits at most, and a point.
            var start = 32
            var count = 0
            repeat {
                if count == places, places > 0 {
                    start -= 1
                    digits[start] = UInt8(ascii: ".")
                }
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(digit)
                rest = quotient
                count += 1
            } while rest > 0 || count <= places
            bytes.append(contentsOf: digits[start...])
        }
    }

    private mutating func key(_ name: StaticString) {
        append(bytes.last == UInt8(ascii: "{") ? "\"" : ",\"")
        append(name)
        append("\":")
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(quoting text: String) {
        append("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append(#"\""#)
            case UInt8(ascii: "\\"): append(#"\\"#)
            case 0x09: append(#"\t"#)
            case 0x0A: append(#"\n"#)
            case 0x0D: append(#"\r"#)
            case 0..<0x20, 0x7F:
                append(#"\u00"#)
                bytes.append(contentsOf: [Self.hexadecimal[Int(byte >> 4)], Self.hexadecimal[Int(byte & 0xF)]])
            default: bytes.append(byte)
            }
        }
        append("\"")
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}

extension String {
    /// The beginning that has at most so many bytes, whole characters as Unicode encodes them.
    func prefix(utf8Count limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
