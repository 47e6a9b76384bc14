@_spi(Programs) import LocationModel
import Testing

@testable import locationd

/// What is too old goes, but not for a wrong clock.
struct AuditRetentionTests {
    private let retention = AuditRetention(days: 30)

    private func time(_ text: String) throws -> UTCTime { try #require(UTCTime(text), "\(text)") }

    private func firstRetained(_ days: [String], at now: String) throws -> Int {
        retention.firstRetained(of: try days.map { try time("\($0)T12:00:00Z") }, at: try time(now))
    }

    @Test func recordsOlderThanTheDaysGo() throws {
        let days = ["2026-01-10", "2026-01-29", "2026-01-30", "2026-02-28", "2026-03-01"]
        // The newest of a day before today is of 28 February, 30 days after 29 January.
        #expect(try firstRetained(days, at: "2026-03-01T13:00:00Z") == 1)
        #expect(try firstRetained(days, at: "2026-03-02T00:00:00Z") == 2)
    }

    @Test func nothingGoesFromAnEmptyHistory() throws {
        #expect(try firstRetained([], at: "2026-03-01T00:00:00Z") == 0)
    }

    @Test func presentOf1970MakesNothingOld() throws {
        let days = ["2025-06-01", "2026-02-28", "1970-01-01", "1970-01-02"]
        for now in ["1970-01-01T00:00:10Z", "1970-01-03T00:00:00Z", "1980-01-06T00:00:00Z", "2024-12-31T23:59:59Z"] {
            #expect(try firstRetained(days, at: now) == 0, "\(now)")
        }
    }

    @Test func recordOf1970GoesWithThoseAroundItOnly() throws {
        let now = "2026-03-10T00:00:00Z"
        #expect(
            try firstRetained(["1970-01-01", "2026-03-01", "2026-03-09"], at: now) == 0, "noted before the first fix")
        #expect(try firstRetained(["2026-03-01", "1970-01-01", "2026-03-09"], at: now) == 0)
        #expect(try firstRetained(["2026-01-01", "1970-01-01", "2026-01-02", "2026-03-09"], at: now) == 3)
        #expect(try firstRetained(["2026-01-01", "1970-01-01", "2026-03-09"], at: now) == 1, "of unknown age")
        #expect(try firstRetained(["1970-01-01", "1970-01-01"], at: now) == 0)
    }

    @Test func recordFromTheFutureMakesNothingOld() throws {
        let now = "2026-03-10T00:00:00Z"
        #expect(try firstRetained(["2026-03-01", "2045-01-01", "2026-03-09"], at: now) == 0)
        #expect(try firstRetained(["2026-03-01", "2045-01-01"], at: now) == 0)
        #expect(try firstRetained(["2045-01-01"], at: now) == 0)
        #expect(try firstRetained(["2026-01-01", "2045-01-01", "2026-01-02", "2026-03-09"], at: now) == 3)
    }

    @Test func clockInTheFutureIsBelievedOnItsSecondDay() throws {
        let days = ["2026-03-01", "2026-03-09"]
        #expect(try firstRetained(days, at: "2045-01-01T23:00:00Z") == 0)
        #expect(try firstRetained(days + ["2045-01-01"], at: "2045-01-01T23:00:00Z") == 0)
        #expect(try firstRetained(days + ["2045-01-01"], at: "2045-01-02T00:00:00Z") == 2)
    }

    @Test func clockSetBackByMonthsTakesNothingWithIt() throws {
        let days = ["2026-06-01", "2026-01-01", "2026-06-03"]
        #expect(try firstRetained(days, at: "2026-06-04T00:00:00Z") == 0)
        #expect(try firstRetained(["2026-06-01", "2026-06-03"], at: "2026-01-01T00:00:00Z") == 0)
    }

    @Test func extremeClocksAndDaysDoNotTrap() throws {
        let times = [UTCTime(seconds: .min), UTCTime(seconds: 1_772_366_400), UTCTime(seconds: .max)]
        let longest = AuditRetention(days: AuditLimits.dayCounts.upperBound)
        #expect(longest.firstRetained(of: times, at: UTCTime(seconds: .max)) == 0)
        #expect(longest.firstRetained(of: times, at: UTCTime(seconds: .min)) == 0)
    }
}
