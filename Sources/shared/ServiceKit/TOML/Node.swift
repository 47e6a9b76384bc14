/// A value of a TOML document. Dates and times are not supported, because no key takes one.
package enum Node: Sendable, Equatable {
    case integer(Int)
    /// May be infinite or NaN, which TOML can express.
    case number(Double)
    case text(String)
    case boolean(Bool)
    case list([Entry])
    case table([String: Entry])

    /// A value and its line.
    package struct Entry: Sendable, Equatable {
        /// The line that first mentions it; a later line may reopen a table.
        package let line: Int
        package let node: Node
    }
}

extension Node {
    /// The type's name, for error messages.
    package var typeName: String {
        switch self {
        case .integer: "an integer"
        case .number: "a floating-point number"
        case .text: "text"
        case .boolean: "a boolean"
        case .list: "a list"
        case .table: "a table"
        }
    }
}

extension Node {
    /// Parses a value without quotes; `nil` if it is no boolean and no number that 64 bits can hold.
    init?(word: String) {
        if word == "true" || word == "false" {
            self = .boolean(word == "true")
        } else if let integer = Self.integer(word) {
            self = .integer(integer)
        } else if let number = Self.number(word) {
            self = .number(number)
        } else {
            return nil
        }
    }

    /// Whether the word begins like `1979-05-27` or `07:32:00`.
    static func isDateOrTime(_ word: String) -> Bool {
        let digits = word.prefix { $0.isNumber }.count
        let next = word.dropFirst(digits).first
        return digits == 4 && next == "-" || digits == 2 && next == ":"
    }

    private static func integer(_ word: String) -> Int? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
            return digits(word.dropFirst(2), radix: radix).flatMap { Int($0, radix: radix) }
        }
        let (sign, magnitude) = signAndMagnitude(word[...])
        return wholeDigits(magnitude).flatMap { Int(sign + $0) }
    }

    private static func number(_ word: String) -> Double? {
        let (sign, magnitude) = signAndMagnitude(word[...])
        if magnitude == "inf" || magnitude == "nan" { return Double(sign + magnitude) }
        let parts = magnitude.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let decimals = (parts.first ?? "").split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = decimals.first, var text = wholeDigits(first) else { return nil }
        if decimals.count == 2 {
            guard let fraction = digits(decimals[1]) else { return nil }
            text += "." + fraction
        }
        if parts.count == 2 {
            let (sign, magnitude) = signAndMagnitude(parts[1])
            guard let exponent = digits(magnitude) else { return nil }
            text += "e" + sign + exponent
        }
        guard parts.count == 2 || decimals.count == 2, let value = Double(sign + text) else { return nil }
        return value.isFinite ? value : nil
    }

    private static func signAndMagnitude(_ word: Substring) -> (sign: String, magnitude: Substring) {
        let sign = word.prefix(1).filter { $0 == "+" || $0 == "-" }
        return (sign, word.dropFirst(sign.count))
    }

    /// The digits of an integer without a leading zero.
    private static func wholeDigits(_ text: Substring) -> String? {
        text.hasPrefix("0") && text != "0" ? nil : digits(text)
    }

    /// The digits without the underscores between them; `nil` if there are other characters.
    private static func digits(_ text: Substring, radix: Int = 10) -> String? {
        let groups = text.split(separator: "_", omittingEmptySubsequences: false)
        let areDigits = groups.allSatisfy { group in
            !group.isEmpty && group.allSatisfy { ($0.hexDigitValue ?? radix) < radix }
        }
        return areDigits ? groups.joined() : nil
    }
}

/// The path of a value in a TOML document, such as `sources[0].port`.
package struct KeyAddress: Hashable, CustomStringConvertible {
    package enum Step: Hashable {
        case key(String)
        /// An index in a list, counted from 0.
        case index(Int)
    }

    private(set) var steps: [Step] = []

    /// The document itself.
    package init() {}

    package func appending(_ key: String) -> KeyAddress { appending(.key(key)) }

    package func appending(_ index: Int) -> KeyAddress { appending(.index(index)) }

    package func appending(_ step: Step) -> KeyAddress {
        var longer = self
        longer.steps.append(step)
        return longer
    }

    /// The keys joined by dots, quoted where TOML requires it.
    package var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .key(let key): text += (text.isEmpty ? "" : ".") + (Self.isBare(key) ? key : key.quoted)
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }

    private static func isBare(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 64 && key.utf8.allSatisfy(\.isBareKey)
    }
}

extension UInt8 {
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether TOML allows this byte in a key without quotes.
    package var isBareKey: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
