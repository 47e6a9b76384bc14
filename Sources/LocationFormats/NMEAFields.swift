import LocationModel

/// The parts of sentences that GGA and RMC share. Absent, or beyond what the field can hold, is empty.
enum NMEAFields {
    /// Latitude, `N` or `S`, longitude, `E` or `W`: `ddmm.mmmmmm,N,dddmm.mmmmmm,E`.
    static func position(_ coordinate: Coordinate, minuteDecimals: Int) -> [String] {
        angle(coordinate.latitude, degreeDigits: 2, minuteDecimals, "N", "S")
            + angle(coordinate.longitude, degreeDigits: 3, minuteDecimals, "E", "W")
    }

    /// Degrees and minutes are split after rounding, so that 60 minutes never appear.
    private static func angle(
        _ degrees: Double, degreeDigits: Int, _ decimals: Int, _ positive: String, _ negative: String
    ) -> [String] {
        let minute = powerOfTen(decimals)
        let units = Int64((degrees.magnitude * 60 * Double(minute)).rounded())
        let rest = units % (60 * minute)
        let text =
            zeroPadded(units / (60 * minute), degreeDigits) + zeroPadded(rest / minute, 2) + "."
            + zeroPadded(rest % minute, decimals)
        return [text, degrees < 0 && units > 0 ? negative : positive]
    }

    /// Time of day, UTC: `hhmmss.ss`, with a third decimal only where it says something.
    static func time(_ timestamp: UTCTime?) -> String {
        guard let moment = timestamp?.writable else { return "" }
        let second = secondOfDay(moment)
        let milliseconds = Int(moment.nanoseconds) / 1_000_000
        let fraction =
            milliseconds % 10 == 0 ? zeroPadded(milliseconds / 10, 2) : zeroPadded(milliseconds, 3)
        return zeroPadded(second / 3600, 2) + zeroPadded(second / 60 % 60, 2) + zeroPadded(second % 60, 2) + "."
            + fraction
    }

    /// The day, UTC: `ddmmyy`.
    static func date(_ timestamp: UTCTime?) -> String {
        guard let moment = timestamp?.writable else { return "" }
        let date = CivilDate(daysSince1970: (moment.seconds - secondOfDay(moment)) / 86_400)
        return zeroPadded(date.day, 2) + zeroPadded(date.month, 2) + zeroPadded(date.year % 100, 2)
    }

    private static func secondOfDay(_ moment: UTCTime) -> Int64 {
        let remainder = moment.seconds % 86_400
        return remainder < 0 ? remainder + 86_400 : remainder
    }

    /// A number within `range` with so many decimals, else nothing.
    static func number(_ value: Double?, in range: ClosedRange<Double>, decimals: Int) -> String {
        guard let value, range.contains(value) else { return "" }
        return value.fixedDecimal(places: decimals) ?? ""
    }
}
