import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import locctl

/// Days as people enter them, in the machine's time zone.
@Suite struct MomentArgumentTests {
    /// In a process of its own, because the time zone is the process's.
    @Test func dayOfAnotherClockIsAsLongAsItIs() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "Europe/Berlin", 1)
            tzset()
            let now = try #require(UTCTime("2026-03-29T12:00:00Z"))
            for (day, begin, end) in [
                ("2026-03-28", "2026-03-27T23:00:00Z", "2026-03-28T22:59:59.999Z"),
                // 23 hours, and 25.
                ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z"),
                ("today", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z"),
                ("yesterday", "2026-03-27T23:00:00Z", "2026-03-28T22:59:59.999Z"),
                ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z"),
            ] {
                let moment = try #require(MomentArgument(day, now: now))
                #expect(moment.begin == UTCTime(begin), "\(day)")
                #expect(moment.end.roundedToMilliseconds == UTCTime(end), "\(day)")
            }
        }
    }
}
