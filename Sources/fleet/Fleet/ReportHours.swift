@_spi(Programs) package import LocationModel

/// The hours of the week in which locations are published, by the clock on the wall. Pure: the time zone is the
/// caller's.
package struct ReportHours: Sendable, Equatable {
    /// A moment as the clock on the wall has it.
    package struct LocalTime: Sendable, Equatable, CustomStringConvertible {
        /// 0 for Monday to 6 for Sunday.
        package let weekday: Int
        /// Minutes since midnight.
        package let minute: Int

        package init(weekday: Int, minute: Int) { (self.weekday, self.minute) = (weekday, minute) }

        package var description: String {
            let parts = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            return "\(Interval.days[weekday]) \(parts[0]):\(parts[1])"
        }
    }

    /// The same hours on each of some days; one that ends earlier in the day than it begins ends on the next day.
    package struct Interval: Sendable, Equatable, CustomStringConvertible {
        package let description: String
        /// The days on which it begins.
        let days: Set<Int>
        /// Minutes since midnight; the end is not part of it.
        let (start, end): (Int, Int)
    }

    /// Without any, locations are published at all times.
    package var intervals: [Interval] = []

    package init() {}

    package func contains(_ time: LocalTime) -> Bool {
        intervals.isEmpty || intervals.contains { $0.contains(time) }
    }

    /// The first moment at which the hours begin or end, to the minute.
    ///
    /// - Parameter local: what the clock on the wall shows at a moment. It may go forward or back, as in spring and
    ///   autumn.
    /// - Returns: `nil` if there is none within eight days.
    package func change(after now: UTCTime, local: (UTCTime) -> LocalTime) -> UTCTime? {
        guard !intervals.isEmpty else { return nil }
        let isWithin = contains(local(now))
        // Time zones differ by whole minutes.
        let start = now.seconds - (now.seconds % 60 + 60) % 60
        return (1...8 * 24 * 60).lazy.map { UTCTime(seconds: start + Int64($0) * 60) }
            .first { contains(local($0)) != isWithin }
    }
}

extension ReportHours.Interval {
    static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Which texts there are, in words.
    package static let accepted =
        #"texts like "mon-fri 07:00-18:30", "sat 22:00-06:00" or "00:00-24:00", with the days mon, tue, wed, thu, fri, sat, sun"#

    /// - Returns: `nil` if the text is no interval.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (1...2).contains(words.count), let hours = words.last,
            let days = words.count == 2 ? Self.days(words[0]) : Set(0..<7)
        else { return nil }
        let times = hours.split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let start = Self.minute(times[0]), let end = Self.minute(times[1]), start < 24 * 60,
            start != end, end > 0
        else { return nil }
        (description, self.days, self.start, self.end) = (text, days, start, end)
    }

    /// One day, or the days from one to another, over the week's end too.
    private static func days(_ text: Substring) -> Set<Int>? {
        let names = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = names.compactMap { days.firstIndex(of: String($0)) }
        guard (1...2).contains(names.count), numbers.count == names.count else { return nil }
        let (first, last) = (numbers[0], numbers[numbers.count - 1])
        return Set((first...(last < first ? last + 7 : last)).map { $0 % 7 })
    }

    /// `HH:MM`, 00:00 to 24:00.
    private static func minute(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 0x30 }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard minute < 60, hour * 60 + minute <= 24 * 60 else { return nil }
        return hour * 60 + minute
    }

    fileprivate func contains(_ time: ReportHours.LocalTime) -> Bool {
        let isOfToday = days.contains(time.weekday) && time.minute >= start
        if start < end { return isOfToday && time.minute < end }
        return isOfToday || days.contains((time.weekday + 6) % 7) && time.minute < end
    }
}
