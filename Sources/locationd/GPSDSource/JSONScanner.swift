@_spi(Programs) import LocationModel

/// Checks a text against RFC 8259 and extracts the facts that the gate in front of libgps needs, without building a
/// value.
///
/// libgps loops for ever on some malformed lines, which a lenient parser would accept; hence this one is strict,
/// bounded in depth, and defined to the byte. Every line passes here, so it reads memory directly, at `position` only
/// while that is below the number of bytes.
struct JSONScanner {
    static let depthLimit = 32

    /// The results of a successful scan: of the outermost object, but for the counts of the list of satellites.
    struct Facts: Equatable {
        /// How often the key `class` occurs.
        var classKeys = 0
        /// True if there is a list of satellites.
        var hasSatellites = false
        /// The values of `mode`, `nSat` and `uSat`, if they are plain whole numbers.
        var mode: Int?
        var satellitesVisible: Int?
        var satellitesUsed: Int?
        /// The satellites of the list that have a number, and those of them that are used.
        var listed = SatelliteCounts(visible: 0, used: 0)
        /// Where the text of `device` is; `nil` without one.
        var device: Range<Int>?
        var hdop, vdop, pdop: Double?
        /// False if a member that these are read from is not as gpsd writes it, or occurs twice; libgps then decides
        /// what it means.
        var isPlain = true
    }

    private let bytes: LineBytes
    private var position = 0
    private var facts = Facts()
    /// Other bytes are accepted only in strings, and checked as UTF-8 at the end.
    private var isASCII = true
    /// Whether the last string had an escape sequence.
    private var isEscaped = false
    private var isInSatellites = false

    /// - Returns: `nil` if the bytes are not exactly one JSON object.
    static func facts(of bytes: [UInt8]) -> Facts? {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(bytes: LineBytes(bytes: buffer))
            guard scanner.peek == UInt8(ascii: "{"), scanner.object(depth: 0) else { return nil }
            scanner.blanks()
            guard scanner.position == buffer.count, scanner.isASCII || String(validating: bytes, as: UTF8.self) != nil
            else { return nil }
            return scanner.facts
        }
    }

    private init(bytes: LineBytes) {
        self.bytes = bytes
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func blanks() {
        // gpsd writes none.
        while let byte = peek, byte <= 0x20, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            position += 1
        }
    }

    private mutating func skip(_ character: UInt8) -> Bool {
        guard peek == character else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.depthLimit, let byte = peek else { return false }
        switch byte {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> Bool {
        guard skip(UInt8(ascii: "{")) else { return false }
        blanks()
        if skip(UInt8(ascii: "}")) { return true }
        var satellite = SeenSatellite()
        repeat {
            blanks()
            guard let key = string() else { return false }
            blanks()
            guard skip(UInt8(ascii: ":")) else { return false }
            blanks()
            let start = position
            if depth == 0 { isInSatellites = key.count == 10 && bytes.contains(key, "satellites") }
            guard value(depth: depth + 1) else { return false }
            switch depth {
            case 0: note(key, valueFrom: start)
            case 2 where isInSatellites: note(key, of: &satellite, valueFrom: start)
            default: break
            }
            blanks()
        } while skip(UInt8(ascii: ","))
        if satellite.isListed { facts.listed.count(isUsed: satellite.isUsed) }
        return skip(UInt8(ascii: "}"))
    }

    private mutating func array(depth: Int) -> Bool {
        guard skip(UInt8(ascii: "[")) else { return false }
        blanks()
        if skip(UInt8(ascii: "]")) { return true }
        repeat {
            blanks()
            guard value(depth: depth + 1) else { return false }
            blanks()
        } while skip(UInt8(ascii: ","))
        return skip(UInt8(ascii: "]"))
    }

    /// - Returns: the range between the quotes.
    private mutating func string() -> Range<Int>? {
        guard skip(UInt8(ascii: "\"")) else { return nil }
        isEscaped = false
        let start = position
        while let byte = nextSpecial() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return start..<(position - 1)
            case UInt8(ascii: "\\"):
                isEscaped = true
                guard escape() else { return nil }
            case 0..<0x20: return nil
            default: isASCII = false
            }
        }
        return nil
    }

    /// Passes the bytes of a string that mean themselves.
    /// - Returns: the one after them.
    private mutating func nextSpecial() -> UInt8? {
        // A variable of its own stays in a register.
        var here = position
        defer { position = here }
        while here < bytes.count {
            let byte = bytes[here]
            guard (0x20..<0x80).contains(byte), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                return byte
            }
            here += 1
        }
        return nil
    }

    private mutating func escape() -> Bool {
        guard let byte = peek else { return false }
        position += 1
        guard byte == UInt8(ascii: "u") else { return #""\/bfnrt"#.utf8.contains(byte) }
        for _ in 0..<4 {
            guard let digit = peek, Character(Unicode.Scalar(digit)).isHexDigit else { return false }
            position += 1
        }
        return true
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let range = position..<(position + word.utf8CodeUnitCount)
        guard range.upperBound <= bytes.count, bytes.contains(range, word) else { return false }
        position = range.upperBound
        return true
    }

    private mutating func number() -> Bool {
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")), !digits() { return false }
        if skip(UInt8(ascii: ".")), !digits() { return false }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = position
        var here = start
        while here < bytes.count, (0x30...0x39).contains(bytes[here]) { here += 1 }
        position = here
        return here > start
    }

    // MARK: Facts

    private mutating func note(_ key: Range<Int>, valueFrom start: Int) {
        guard let first = key.first.map({ bytes[$0] }) else { return }
        // The first byte and the length exclude most of the others.
        switch (first, key.count) {
        case (UInt8(ascii: "m"), 4) where bytes.contains(key, "mode"): facts.mode = bytes.integer(in: start..<position)
        case (UInt8(ascii: "n"), 4) where bytes.contains(key, "nSat"):
            facts.satellitesVisible = bytes.integer(in: start..<position)
        case (UInt8(ascii: "u"), 4) where bytes.contains(key, "uSat"):
            facts.satellitesUsed = bytes.integer(in: start..<position)
        case (UInt8(ascii: "h"), 4) where bytes.contains(key, "hdop"): note(\.hdop, valueFrom: start)
        case (UInt8(ascii: "v"), 4) where bytes.contains(key, "vdop"): note(\.vdop, valueFrom: start)
        case (UInt8(ascii: "p"), 4) where bytes.contains(key, "pdop"): note(\.pdop, valueFrom: start)
        case (UInt8(ascii: "c"), 5) where bytes.contains(key, "class"): facts.classKeys += 1
        case (UInt8(ascii: "d"), 6) where bytes.contains(key, "device"):
            if facts.device != nil || bytes[start] != UInt8(ascii: "\"") || isEscaped { facts.isPlain = false }
            facts.device = (start + 1)..<max(start + 1, position - 1)
        case (UInt8(ascii: "s"), 10) where bytes.contains(key, "satellites"):
            if facts.hasSatellites || bytes[start] != UInt8(ascii: "[") { facts.isPlain = false }
            facts.hasSatellites = bytes[start] == UInt8(ascii: "[")
        default: break
        }
    }

    private mutating func note(_ dilution: WritableKeyPath<Facts, Double?>, valueFrom start: Int) {
        let value = Double(bytes.string(in: start..<position))
        if value == nil || facts[keyPath: dilution] != nil { facts.isPlain = false }
        facts[keyPath: dilution] = value
    }

    private mutating func note(_ key: Range<Int>, of satellite: inout SeenSatellite, valueFrom start: Int) {
        switch key.count {
        case 3 where bytes.contains(key, "PRN"):
            // Entries without a number are not satellites to libgps either.
            guard let number = bytes.integer(in: start..<position) else { return facts.isPlain = false }
            satellite.isListed = number > 0
        case 4 where bytes.contains(key, "used"):
            satellite.isUsed = bytes[start] == UInt8(ascii: "t")
            if !satellite.isUsed, bytes[start] != UInt8(ascii: "f") { facts.isPlain = false }
        default: break
        }
    }

    /// What is read of an entry of the list of satellites.
    private struct SeenSatellite {
        var isListed = false
        var isUsed = false
    }
}

/// The bytes that are scanned. (Apart from the scanner, because the compiler copies all of that for each call of a
/// function that does not change it.)
private struct LineBytes {
    let bytes: UnsafeBufferPointer<UInt8>

    var count: Int { bytes.count }

    subscript(index: Int) -> UInt8 { bytes[index] }

    func string(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Whether these bytes are there.
    func contains(_ range: Range<Int>, _ wanted: StaticString) -> Bool {
        guard range.count == wanted.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where bytes[range.lowerBound + index] != wanted.utf8Start[index] { return false }
        return true
    }

    /// The value of a plain whole number.
    func integer(in range: Range<Int>) -> Int? {
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        let digits = bytes[range].dropFirst(isNegative ? 1 : 0)
        // A number of eighteen digits is below the greatest integer.
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let magnitude = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return isNegative ? -magnitude : magnitude
    }
}
