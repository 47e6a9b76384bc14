import CLinux

/// Decides which lines libgps may see.
///
/// `gps_unpack` loops for ever on some well-formed JSON whose `class` is not the first key, stands behind a blank or is
/// reached through a wrong type. It never did on lines that are one strict JSON object beginning exactly as gpsd
/// writes it, with no other `class` at any depth: those pass, everything else is counted and dropped.
enum MessageGate {
    enum Passage: Equatable {
        /// For libgps to decode.
        case report(ReportClass, JSONScanner.Facts)
        /// For our own decoder to decode.
        case control(String)
        /// A class that is not used.
        case ignored
        case rejected(Rejection)
    }

    enum ReportClass: String {
        case position = "TPV"
        case sky = "SKY"
        case attitude = "ATT"
        case errors = "GST"
    }

    enum Rejection: String {
        /// Does not begin like a line of gpsd.
        case garbage
        /// Begins like a line of gpsd but is not strict JSON, or has a second class anywhere.
        case malformed
    }

    private static let opening = Array(#"{"class":""#.utf8)

    static func passage(for line: [UInt8]) -> Passage {
        guard line.starts(with: opening), !line.contains(0),
            let quote = line[opening.count...].firstIndex(of: UInt8(ascii: "\""))
        else { return .rejected(.garbage) }
        let name = String(decoding: line[opening.count..<quote], as: UTF8.self)
        switch name {
        case "TPV", "SKY", "ATT", "GST":
            // A line that ends right after the class contains nothing, and is not how gpsd begins one.
            guard line.count > quote + 1, line[quote + 1] == UInt8(ascii: ","),
                let report = ReportClass(rawValue: name),
                !hasClass(line[(quote + 1)...]), let facts = JSONScanner.facts(of: line), facts.classKeys == 1
            else { return .rejected(.malformed) }
            return .report(report, facts)
        case "VERSION", "DEVICES", "DEVICE", "WATCH", "ERROR":
            return .control(name)
        default:
            return .ignored
        }
    }

    /// libgps searches the text for this, whatever the context, and continues from there when its parse of an object
    /// has ended early: for ever, if that leads it there again.
    private static let classKey: StaticString = #""class":"#

    private static func hasClass(_ text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBytes {
            clinux_find($0.baseAddress, $0.count, classKey.utf8Start, classKey.utf8CodeUnitCount) != nil
        }
    }
}

/// Checks a text against RFC 8259 and extracts the facts that the gate in front of libgps needs, without building a
/// value.
///
/// libgps loops for ever on some malformed lines, which a lenient parser would accept; hence this one is strict,
/// bounded in depth, and defined to the byte.
struct JSONScanner {
    static let depthLimit = 32

    /// The results of a successful scan.
    struct Facts: Equatable {
        /// How often the key `class` occurs in the outermost object.
        var classKeys = 0
        /// True if the outermost object has a list of satellites.
        var hasSatellites = false
        /// The values of `mode`, `nSat` and `uSat`, if they are plain whole numbers.
        var mode: Int?
        var satellitesVisible: Int?
        var satellitesUsed: Int?
    }

    private let bytes: [UInt8]
    private var position = 0
    private var facts = Facts()
    /// Other bytes are accepted only in strings, and checked as UTF-8 at the end.
    private var isASCII = true

    /// - Returns: `nil` if the bytes are not exactly one JSON object.
    static func facts(of bytes: [UInt8]) -> Facts? {
        var scanner = JSONScanner(bytes: bytes)
        guard scanner.peek == UInt8(ascii: "{"), scanner.object(depth: 0) else { return nil }
        scanner.blanks()
        guard scanner.position == bytes.count, scanner.isASCII || String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        return scanner.facts
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func blanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
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
        guard skip("{") else { return false }
        blanks()
        if skip("}") { return true }
        repeat {
            blanks()
            guard let key = string() else { return false }
            blanks()
            guard skip(":") else { return false }
            blanks()
            let start = position
            guard value(depth: depth + 1) else { return false }
            if depth == 0 { note(key, valueFrom: start) }
            blanks()
        } while skip(",")
        return skip("}")
    }

    private mutating func array(depth: Int) -> Bool {
        guard skip("[") else { return false }
        blanks()
        if skip("]") { return true }
        repeat {
            blanks()
            guard value(depth: depth + 1) else { return false }
            blanks()
        } while skip(",")
        return skip("]")
    }

    /// - Returns: the range between the quotes.
    private mutating func string() -> Range<Int>? {
        guard skip("\"") else { return nil }
        let start = position
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return start..<(position - 1)
            case UInt8(ascii: "\\"): guard escape() else { return nil }
            case 0..<0x20: return nil
            case 0x80...: isASCII = false
            default: break
            }
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
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        defer { position = end }
        return word.withUTF8Buffer { bytes[position..<end].elementsEqual($0) }
    }

    private mutating func number() -> Bool {
        _ = skip("-")
        if !skip("0"), !digits() { return false }
        if skip("."), !digits() { return false }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func note(_ key: Range<Int>, valueFrom start: Int) {
        func isKey(_ name: StaticString) -> Bool { name.withUTF8Buffer { bytes[key].elementsEqual($0) } }
        var integer: Int? { Int(String(decoding: bytes[start..<position], as: UTF8.self)) }
        switch key.count {
        case 4 where isKey("mode"): facts.mode = integer
        case 4 where isKey("nSat"): facts.satellitesVisible = integer
        case 4 where isKey("uSat"): facts.satellitesUsed = integer
        case 5 where isKey("class"): facts.classKeys += 1
        case 10 where isKey("satellites"): facts.hasSatellites = bytes[start] == UInt8(ascii: "[")
        default: break
        }
    }
}
