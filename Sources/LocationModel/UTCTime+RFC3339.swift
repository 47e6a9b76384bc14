extension UTCTime: CustomStringConvertible, LosslessStringConvertible {
    /// RFC 3339 in UTC with milliseconds, if ``hasFourDigitYear``; a year beyond takes more digits, which nobody reads.
    public var description: String {
        let moment = roundedToMilliseconds
        let day = moment.seconds.floorDivided(by: 86_400)
        let second = moment.seconds.flooredRemainder(by: 86_400)
        let date = CivilDate(daysSince1970: day)
        let rest = String(unsafeUninitializedCapacity: 20) { text in
            var count = 0
            func put(_ mark: Unicode.Scalar, _ number: Int64, digits: Int = 2) {
                text[count] = UInt8(ascii: mark)
                var left = number
                for index in stride(from: count + digits, to: count, by: -1) {
                    text[index] = UInt8(ascii: "0") + UInt8(left % 10)
                    left /= 10
                }
                count += 1 + digits
            }
            put("-", date.month)
            put("-", date.day)
            put("T", second / 3600)
            put(":", second / 60 % 60)
            put(":", second % 60)
            put(".", Int64(moment.nanoseconds) / 1_000_000, digits: 3)
            text[count] = UInt8(ascii: "Z")
            return count + 1
        }
        let year = String(date.year)
        return (year.utf8.count < 4 ? String(repeating: "0", count: 4 - year.utf8.count) + year : year) + rest
    }

    /// Reads RFC 3339 in UTC (`Z`), with no fraction or one of 1 to 9 digits.
    ///
    /// A leap second (`:60`) is the next second's start, as POSIX time has it. The last half millisecond of the year
    /// 9999, and the leap second after it, could not be written again and are refused.
    /// - Returns: `nil` for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            return bytes[range].reduce(into: Int64?(0)) { value, byte in
                guard (0x30...0x39).contains(byte), let sofar = value else { return value = nil }
                value = sofar * 10 + Int64(byte - 0x30)
            }
        }
        func has(_ character: Character, at index: Int) -> Bool {
            index < bytes.count && bytes[index] == character.asciiValue
        }
        guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), (1...12).contains(month),
            has("-", at: 7), let day = number(8..<10), has("T", at: 10) || has("t", at: 10),
            let hour = number(11..<13), hour < 24, has(":", at: 13), let minute = number(14..<16), minute < 60,
            has(":", at: 16), let second = number(17..<19), second <= 60,
            let last = bytes.last, last == 0x5A || last == 0x7A
        else { return nil }
        var nanoseconds: Int64 = 0
        if has(".", at: 19) {
            let digits = 20..<(bytes.count - 1)
            guard (1...9).contains(digits.count), let fraction = number(digits) else { return nil }
            nanoseconds = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
        } else if bytes.count != 20 {
            return nil
        }
        let date = CivilDate(year: year, month: month, day: day)
        guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
        self.init(
            seconds: date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: nanoseconds)
        guard hasFourDigitYear else { return nil }
    }

    /// Whether the year is one of 0 to 9999, also when the moment is rounded to the millisecond.
    package var hasFourDigitYear: Bool {
        // From 0000-01-01T00:00:00Z to 10000-01-01T00:00:00Z.
        (-62_167_219_200..<253_402_300_800).contains(roundedToMilliseconds.seconds)
    }
}

extension UTCTime: Codable {
    /// Decodes an RFC 3339 string in UTC.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = try UTCTime(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a time is RFC 3339 in UTC, such as 2026-03-01T12:00:00.250Z")
        }
        self = time
    }

    /// Encodes as an RFC 3339 string with milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
