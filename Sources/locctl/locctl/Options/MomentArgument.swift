import ArgumentParser
import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// A moment, as people enter it: `2026-11-24T08:00:00Z` (UTC), `"2026-11-24 08:00"` or `2026-11-24` in the machine's
/// local time, `today`, `yesterday`, `now`.
struct MomentArgument: ExpressibleByArgument {
    /// The first moment that is meant.
    let begin: UTCTime
    /// The last: of a day its end.
    let end: UTCTime

    static let help = "2026-11-24, \"2026-11-24 08:00\" (local time), 2026-11-24T08:00:00Z, today, yesterday or now"

    init?(argument text: String) {
        self.init(text, now: MachineClock.utc)
    }

    init?(_ text: String, now: UTCTime) {
        if let moment = UTCTime(text) ?? (text == "now" ? now : nil) {
            (begin, end) = (moment, moment)
            return
        }
        var day: tm
        switch text {
        case "today": day = Self.day(of: now, before: 0)
        case "yesterday": day = Self.day(of: now, before: 1)
        default:
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard let date = Self.numbers(parts[0], widths: [4, 2, 2], separator: "-") else { return nil }
            day = tm()
            (day.tm_year, day.tm_mon, day.tm_mday) = (date[0] - 1900, date[1] - 1, date[2])
            if parts.count == 2 {
                guard let time = Self.numbers(parts[1], widths: [2, 2], separator: ":"), time[0] < 24, time[1] < 60,
                    let moment = Self.moment(&day, hour: time[0], minute: time[1])
                else { return nil }
                (begin, end) = (moment, moment)
                return
            }
        }
        var next = day
        next.tm_mday += 1
        guard let begin = Self.moment(&day), let end = Self.moment(&next, isNormal: false) else { return nil }
        self.begin = begin
        self.end = end.advanced(bySeconds: -0.001)
    }

    private static func day(of moment: UTCTime, before days: Int32) -> tm {
        var (seconds, day) = (time_t(moment.seconds), tm())
        localtime_r(&seconds, &day)
        day.tm_mday -= days
        // Counted back over the beginning of a month.
        day.tm_isdst = -1
        (day.tm_hour, day.tm_min, day.tm_sec) = (12, 0, 0)
        _ = mktime(&day)
        return day
    }

    /// - Parameter isNormal: whether the day has to be one of its month.
    /// - Returns: `nil` for a day that the calendar does not have.
    private static func moment(
        _ day: inout tm, hour: Int32 = 0, minute: Int32 = 0, isNormal: Bool = true
    ) -> UTCTime? {
        let wanted = (day.tm_mon, day.tm_mday)
        (day.tm_hour, day.tm_min, day.tm_sec, day.tm_isdst) = (hour, minute, 0, -1)
        let seconds = mktime(&day)
        guard !isNormal || (day.tm_mon, day.tm_mday) == wanted else { return nil }
        return UTCTime(seconds: Int64(seconds))
    }

    private static func numbers(_ text: Substring, widths: [Int], separator: Character) -> [Int32]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy { $0.isASCII && $0.isNumber } ? Int32(part) : nil }
        return parts.map(\.count) == widths && numbers.count == widths.count ? numbers : nil
    }
}
