/// A moment in UTC to the nanosecond, as a receiver reports it.
///
/// Written as RFC 3339 with milliseconds (`2026-03-01T12:00:00.250Z`), which is also its coded form.
public struct UTCTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX time).
    public let seconds: Int64
    /// Nanoseconds after `seconds`, 0..<1,000,000,000.
    public let nanoseconds: Int32

    /// Seconds and nanoseconds since 1970; nanoseconds outside one second are carried over, as far as seconds reach.
    public init(seconds: Int64, nanoseconds: Int64 = 0) {
        let carry = nanoseconds.floorDivided(by: 1_000_000_000)
        let (sum, overflow) = seconds.addingReportingOverflow(carry)
        if overflow {
            self.seconds = carry < 0 ? .min : .max
            self.nanoseconds = carry < 0 ? 0 : 999_999_999
        } else {
            self.seconds = sum
            self.nanoseconds = Int32(nanoseconds.flooredRemainder(by: 1_000_000_000))
        }
    }

    /// The same moment rounded to the nearest millisecond, the resolution gpsd and the wire have.
    public var roundedToMilliseconds: UTCTime {
        UTCTime(seconds: seconds, nanoseconds: (Int64(nanoseconds) + 500_000) / 1_000_000 * 1_000_000)
    }

    /// Seconds from `other` to this moment, negative if this one is earlier.
    public func seconds(since other: UTCTime) -> Double {
        Double(seconds) - Double(other.seconds) + Double(nanoseconds - other.nanoseconds) / 1e9
    }

    /// The moment this many seconds later, rounded to a nanosecond; a number beyond ±9.2e9 is clamped, NaN is 0.
    @_spi(Programs) public func advanced(bySeconds seconds: Double) -> UTCTime {
        // At most 9.2e18 + 1e9, which is within Int64.
        UTCTime(
            seconds: self.seconds, nanoseconds: BootInstant(seconds: seconds).nanoseconds + Int64(nanoseconds))
    }

    /// Earlier comes first.
    public static func < (lhs: UTCTime, rhs: UTCTime) -> Bool {
        (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity, so that remainders are never negative.
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The remainder of ``floorDivided(by:)``, 0..<divisor.
    func flooredRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

extension UTCTime: CustomStringConvertible, LosslessStringConvertible {
    /// RFC 3339 in UTC with milliseconds, if ``hasFourDigitYear``; a later year takes more digits, which parsers do not
    /// accept.
    public var description: String {
        let moment = roundedToMilliseconds
        let day = moment.seconds.floorDivided(by: 86_400)
        let second = moment.seconds.flooredRemainder(by: 86_400)
        let date = CivilDate(daysSince1970: day)
        // Every location has one; a year of four digits is written with the rest.
        let hasFourDigits = (0...9999).contains(date.year)
        let text = String(unsafeUninitializedCapacity: 24) { text in
            var count = 0
            func put(_ number: Int64, digits: Int = 2, _ mark: Unicode.Scalar) {
                var left = number
                for index in stride(from: count + digits - 1, through: count, by: -1) {
                    text[index] = UInt8(ascii: "0") + UInt8(left % 10)
                    left /= 10
                }
                count += digits + 1
                text[count - 1] = UInt8(ascii: mark)
            }
            if hasFourDigits { put(date.year, digits: 4, "-") }
            put(date.month, "-")
            put(date.day, "T")
            put(second / 3600, ":")
            put(second / 60 % 60, ":")
            put(second % 60, ".")
            put(Int64(moment.nanoseconds) / 1_000_000, digits: 3, "Z")
            return count
        }
        return hasFourDigits ? text : "\(date.year)-\(text)"
    }

    /// Reads RFC 3339 in UTC (`Z`), with no fraction or one of 1 to 9 digits.
    ///
    /// A leap second (`:60`) is the next second's start, as in POSIX time. The last half millisecond of the year 9999,
    /// and the leap second after it, could not be formatted again and are refused.
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
    @_spi(Programs) public var hasFourDigitYear: Bool {
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

/// A day of the proleptic Gregorian calendar.
///
/// Years within ±10¹⁵ can be converted.
///
/// Conversions after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (days_from_civil, civil_from_days):
/// years begin in March, so that the leap day is the last of its year.
public struct CivilDate: Sendable, Hashable {
    /// Year, 0 being 1 BC.
    public let year: Int64
    /// Month, 1...12.
    public let month: Int64
    /// Day of the month, from 1.
    public let day: Int64

    /// A date by its parts; they are not checked.
    public init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date so many days after 1970-01-01.
    public init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01 to this date.
    public var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floorDivided(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
