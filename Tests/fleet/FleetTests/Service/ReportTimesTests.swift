import Fleet
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd_fleet

/// Whether locations may be published, at moments of the test's choice.
@Suite struct ReportTimesTests {
    /// Monday, 1970-01-05, in a zone without summer time.
    private static let monday = UTCTime(seconds: 4 * 86_400)

    /// Those of 7 to 8 o'clock on a Monday, at so many minutes of that day.
    private func times(_ hours: String? = "mon 07:00-08:00", at minute: Int64) throws -> ReportTimes {
        var reports = ReportHours()
        if let hours { reports.intervals = [try #require(ReportHours.Interval(hours))] }
        let now = UTCTime(seconds: Self.monday.seconds + minute * 60)
        return ReportTimes(
            reports, clock: ServiceClock(now: { BootInstant(seconds: 1000) }, utc: { now }),
            local: { .init(weekday: Int(($0.seconds / 86_400 + 3) % 7), minute: Int($0.seconds % 86_400 / 60)) })
    }

    /// An old position of outside of the hours is none of them, nor is one of within them when they are over.
    @Test func positionAndMomentAreBothWithinTheHours() throws {
        let early = try times(at: 7 * 60 - 1)
        #expect(!early.isWithinHours && !early.allow(age: 0))
        let within = try times(at: 7 * 60 + 10)
        #expect(within.isWithinHours && within.allow(age: 0) && within.allow(age: 600))
        #expect(!within.allow(age: 601) && !within.allow(age: 3600))
        #expect(within.allow(age: -60), "a position of a moment ahead of the clock is of within them too")
        let late = try times(at: 8 * 60)
        #expect(!late.isWithinHours && !late.allow(age: 600))
    }

    @Test func withoutHoursEveryAgeMayBePublished() throws {
        let always = try times(nil, at: 3 * 60)
        #expect(always.isAlways && always.isWithinHours && always.allow(age: 1e6))
        #expect(always.reason == nil && always.timeToChange == nil)
    }

    @Test func reasonSaysUntilWhen() throws {
        #expect(
            try times(at: 6 * 60).reason
                == "outside of the configured hours until mon 07:00: no location is published")
        #expect(try times(at: 6 * 60).timeToChange == 3600)
        #expect(try times(at: 7 * 60).reason == nil)
        #expect(try times(at: 7 * 60).timeToChange == 3600)
    }

    /// The time of the machine is that of its zone with summer time. In a process of its own, because all threads have
    /// one zone.
    @Test func summerTimeOfTheMachineCounts() async {
        await #expect(processExitsWith: .success) {
            // Germany's, as POSIX writes it: the test needs no files of time zones.
            for zone in ["CET-1CEST,M3.5.0,M10.5.0/3", "Europe/Berlin"] {
                if zone.contains("/"), access("/usr/share/zoneinfo/\(zone)", R_OK) != 0 { continue }
                setenv("TZ", zone, 1)
                func local(_ text: String) -> String? {
                    UTCTime(text).map { "\(ReportHours.LocalTime(onThisMachine: $0))" }
                }
                #expect(local("2026-07-01T05:00:00Z") == "wed 07:00")
                #expect(local("2026-01-07T05:00:00Z") == "wed 06:00")
                // The last seconds of each, and the first.
                #expect(local("2026-03-29T00:59:59Z") == "sun 01:59")
                #expect(local("2026-03-29T01:00:00Z") == "sun 03:00")
                #expect(local("2026-10-25T00:59:59Z") == "sun 02:59")
                #expect(local("2026-10-25T01:00:00Z") == "sun 02:00")
                // The date is that of the zone, too.
                #expect(local("2026-07-05T22:30:00Z") == "mon 00:30")
                #expect(local("2026-01-04T22:30:00Z") == "sun 23:30")
            }
            // West of Greenwich, where summer is in January.
            setenv("TZ", "<-04>4<-03>,M9.1.6/24,M4.1.6/24", 1)
            #expect("\(ReportHours.LocalTime(onThisMachine: UTCTime(seconds: 1_767_229_200)))" == "wed 22:00")
        }
    }
}
