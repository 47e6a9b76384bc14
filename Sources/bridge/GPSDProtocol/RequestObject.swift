/// Why a request's object cannot be used, in words.
struct RequestFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// The JSON object of a request. Objects and arrays in it are passed over, because no request has any; nothing
/// recurses, so depth costs nothing.
struct RequestObject {
    enum Value: Equatable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case other
    }

    private(set) var members: [(name: String, value: Value)] = []

    /// An object without members.
    init() {}

    /// Removes an object from the beginning of `bytes`.
    init(from bytes: inout ArraySlice<UInt8>) throws(RequestFault) {
        var reader = RequestReader(rest: bytes)
        guard reader.skip("{") else { throw RequestFault("an object is expected") }
        reader.skipBlanks()
        if !reader.skip("}") {
            repeat {
                reader.skipBlanks()
                let name = try reader.text()
                reader.skipBlanks()
                guard reader.skip(":") else { throw RequestFault("a colon is missing") }
                reader.skipBlanks()
                members.append((name, try reader.value()))
                reader.skipBlanks()
            } while reader.skip(",")
            guard reader.skip("}") else { throw RequestFault("a comma or the closing brace is missing") }
        }
        bytes = reader.rest
    }

    /// The last member of that name counts.
    private func value(_ name: String) -> Value? {
        members.last { $0.name == name }?.value
    }

    func text(_ name: String) throws(RequestFault) -> String? {
        switch value(name) {
        case nil: nil
        case .text(let text): text
        default: throw RequestFault("'\(name)' is a string")
        }
    }

    /// A truth; a number is one too, as gpsd reads it: false if its whole part is zero.
    func flag(_ name: String) throws(RequestFault) -> Bool? {
        switch value(name) {
        case nil: nil
        case .flag(let flag): flag
        case .number(let number): number.magnitude >= 1
        default: throw RequestFault("'\(name)' is true or false")
        }
    }

    /// 0, 1 or 2; a truth is 0, as gpsd reads it.
    func level(_ name: String) throws(RequestFault) -> Int? {
        switch value(name) {
        case nil: return nil
        case .flag: return 0
        case .number(let number):
            if let level = Int(exactly: number), (0...2).contains(level) { return level }
        default: break
        }
        throw RequestFault("'\(name)' is 0, 1 or 2")
    }
}

/// Reads JSON's tokens.
private struct RequestReader {
    var rest: ArraySlice<UInt8>

    mutating func skipBlanks() {
        rest = rest.drop(while: \.isBlank)
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func value() throws(RequestFault) -> RequestObject.Value {
        switch rest.first {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try skipNested()
            return .other
        default: return try word()
        }
    }

    /// A number or a name, which end at the first character that neither has.
    private mutating func word() throws(RequestFault) -> RequestObject.Value {
        let token = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        rest = rest[token.endIndex...]
        let word = String(decoding: token, as: UTF8.self)
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .other
        default:
            // Swift also reads "inf", "nan" and hexadecimal digits.
            let isNumeric = token.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
            guard isNumeric, let number = Double(word), number.isFinite else {
                throw RequestFault(word.isEmpty ? "a value is missing" : "a value is no JSON, or too large")
            }
            return .number(number)
        }
    }

    mutating func text() throws(RequestFault) -> String {
        guard skip("\"") else { throw RequestFault("a string is expected") }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw RequestFault("a string is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): bytes.append(contentsOf: try escape())
            default: bytes.append(byte)
            }
        }
        throw RequestFault("a string does not end")
    }

    private mutating func escape() throws(RequestFault) -> [UInt8] {
        switch rest.popFirst() {
        case UInt8(ascii: "u"): return Array(String(Character(try escapedScalar())).utf8)
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case let byte? where #""\/"#.utf8.contains(byte): return [byte]
        default: throw RequestFault("a string has an unknown escape")
        }
    }

    private mutating func escapedScalar() throws(RequestFault) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, skip("\\"), skip("u") else { throw RequestFault("a string has half a character") }
        let second = try codeUnit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw RequestFault("a string has half a character") }
        return scalar
    }

    private mutating func codeUnit() throws(RequestFault) -> UInt32 {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw RequestFault("a string has an unknown escape") }
        rest = rest[digits.endIndex...]
        return unit
    }

    /// Brackets are counted, not checked.
    private mutating func skipNested() throws(RequestFault) {
        var depth = 0
        repeat {
            switch rest.first {
            case nil: throw RequestFault("a bracket is not closed")
            case UInt8(ascii: "\""): _ = try text()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                rest.removeFirst()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                rest.removeFirst()
            default: rest.removeFirst()
            }
        } while depth > 0
    }
}
