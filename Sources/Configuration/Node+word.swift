extension Node {
    /// Reads a value without quotes; `nil` where it is no boolean and no number that 64 bits can hold.
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

    /// Whether the word begins as `1979-05-27` or `07:32:00` do.
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

    /// Digits that do not begin with a zero, or a zero alone.
    private static func wholeDigits(_ text: Substring) -> String? {
        text.hasPrefix("0") && text != "0" ? nil : digits(text)
    }

    /// The digits without the underscores between them; `nil` where there is anything else.
    private static func digits(_ text: Substring, radix: Int = 10) -> String? {
        let groups = text.split(separator: "_", omittingEmptySubsequences: false)
        let areDigits = groups.allSatisfy { group in
            !group.isEmpty && group.allSatisfy { ($0.hexDigitValue ?? radix) < radix }
        }
        return areDigits ? groups.joined() : nil
    }
}
