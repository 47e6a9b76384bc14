@_spi(Programs) import LocationModel

extension Double {
    /// The shortest decimal without exponent that reads back as this number: `0.0000001`, `-12.5`, `180`.
    ///
    /// Zero has no sign. `nil` if the number is not finite.
    var plainDecimal: String? {
        guard isFinite else { return nil }
        guard self != 0 else { return "0" }
        // The description is the shortest decimal already; only its exponent has to be expanded.
        let parts = magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : ""
        let digits = mantissa[0] + fraction
        let point = mantissa[0].count + exponent
        let zeros = String(repeating: "0", count: Swift.max(0, -point, point - digits.count))
        let sign = self < 0 ? "-" : ""
        if point <= 0 { return sign + "0." + zeros + digits }
        if point >= digits.count { return sign + digits + zeros }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }

    /// The number with the given number of decimal places (0...9), halves rounded away from zero.
    ///
    /// A result of zero has no sign. `nil` if the number is not finite, or its digits do not fit 63 bits.
    package func fixedDecimal(places: Int) -> String? {
        guard let units = Int64(exactly: (self * Double(powerOfTen(places))).rounded()) else { return nil }
        let digits = zeroPadded(units.magnitude, places + 1)
        let sign = units < 0 ? "-" : ""
        return places == 0 ? sign + digits : sign + digits.dropLast(places) + "." + digits.suffix(places)
    }
}

/// 1, 10, 100, …, for exponents 0...9.
func powerOfTen(_ exponent: Int) -> Int64 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
}

/// The digits of a number, padded with zeros up to `width`.
func zeroPadded(_ number: some BinaryInteger, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Double {
    /// The same direction within 0..<360 degrees; `nil` if it is not finite.
    var fullCircleDegrees: Double? {
        guard isFinite else { return nil }
        let remainder = truncatingRemainder(dividingBy: 360)
        let turned = remainder < 0 ? remainder + 360 : remainder
        // A tiny negative remainder plus 360 rounds to 360 itself.
        return turned < 360 ? turned : 0
    }

    /// The same direction within -180...180 degrees; `nil` if it is not finite.
    var halfCircleDegrees: Double? {
        isFinite ? remainder(dividingBy: 360) : nil
    }
}

extension UTCTime {
    /// This moment to the millisecond if its year has the four digits that RFC 3339 and XML Schema require, 1...9999.
    var writable: UTCTime? {
        let years = Self(year: 1).seconds..<Self(year: 10_000).seconds
        guard years.contains(seconds) else { return nil }
        let rounded = roundedToMilliseconds
        return years.contains(rounded.seconds) ? rounded : nil
    }

    /// The year's first moment.
    private init(year: Int64) {
        self.init(seconds: CivilDate(year: year, month: 1, day: 1).daysSince1970 * 86_400)
    }
}
