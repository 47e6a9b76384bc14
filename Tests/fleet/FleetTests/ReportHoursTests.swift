import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// The hours of the week, in a time zone of the test's choice.
@Suite struct ReportHoursTests {
    private func hours(_ texts: String...) throws -> ReportHours {
        var hours = ReportHours()
        hours.intervals = try texts.map { try #require(ReportHours.Interval($0), "\($0)") }
        return hours
    }

    private func time(_ weekday: Int, _ hour: Int, _ minute: Int = 0) -> ReportHours.LocalTime {
        .init(weekday: weekday, minute: hour * 60 + minute)
    }

    /// The clock on the wall in Berlin: on 29 March 2026 it goes from 2 to 3 o'clock, on 25 October from 3 to 2.
    private func berlin(_ time: UTCTime) -> ReportHours.LocalTime {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        let date = Date(timeIntervalSince1970: Double(time.seconds))
        let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
        return .init(weekday: ((parts.weekday ?? 1) + 5) % 7, minute: (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
    }

    private func change(_ hours: ReportHours, after time: String) throws -> String? {
        hours.change(after: try #require(UTCTime(time)), local: berlin)?.description
    }

    @Test func endIsNoPartOfTheHours() throws {
        let hours = try hours("mon-fri 07:00-18:30")
        #expect(!hours.contains(time(0, 6, 59)) && hours.contains(time(0, 7)))
        #expect(hours.contains(time(4, 18, 29)) && !hours.contains(time(4, 18, 30)))
        #expect(!hours.contains(time(5, 12)) && !hours.contains(time(6, 12)))
    }

    @Test func intervalOverMidnightBelongsToTheDayOfItsBeginning() throws {
        let hours = try hours("sun 22:00-06:00")
        #expect(hours.contains(time(6, 22)) && hours.contains(time(0, 5, 59)))
        #expect(!hours.contains(time(0, 6)) && !hours.contains(time(6, 5)) && !hours.contains(time(0, 22)))
    }

    @Test func daysMayGoOverTheEndOfTheWeek() throws {
        let hours = try hours("sat-mon 00:00-24:00")
        #expect([5, 6, 0].allSatisfy { hours.contains(time($0, 0)) && hours.contains(time($0, 23, 59)) })
        #expect(![1, 4].contains { hours.contains(time($0, 12)) })
    }

    @Test func withoutHoursItIsAlways() throws {
        #expect(try hours().contains(time(6, 3)))
        #expect(try change(hours(), after: "2026-03-28T12:00:00Z") == nil)
        #expect(try hours("06:00-20:00", "21:00-22:00").contains(time(6, 21)))
        #expect(try change(hours("00:00-24:00"), after: "2026-03-28T12:00:00Z") == nil)
    }

    @Test func changesAreAtWholeMinutes() throws {
        let hours = try hours("mon-fri 07:00-18:30")
        #expect(try change(hours, after: "2026-03-27T17:29:59.5Z") == "2026-03-27T17:30:00.000Z")
        #expect(try change(hours, after: "2026-03-27T17:30:00Z") == "2026-03-30T05:00:00.000Z", "in summer time")
    }

    @Test func hourThatDoesNotExistInSpringIsPassedOver() throws {
        let hours = try hours("sun 02:15-02:45")
        #expect(try change(hours, after: "2026-03-28T12:00:00Z") == "2026-04-05T00:15:00.000Z")
        let over = try self.hours("sat 22:00-02:30")
        #expect(try change(over, after: "2026-03-28T22:00:00Z") == "2026-03-29T01:00:00.000Z", "3 o'clock follows 2")
    }

    @Test func hourThatComesTwiceInAutumnCountsTwice() throws {
        let hours = try hours("sun 02:15-02:45")
        var moments: [String] = []
        var time = "2026-10-24T12:00:00Z"
        for _ in 0..<4 {
            time = try #require(try change(hours, after: time))
            moments.append(String(time.dropFirst(11).prefix(5)))
        }
        #expect(moments == ["00:15", "00:45", "01:15", "01:45"] && time.hasPrefix("2026-10-25"))
    }

    @Test(
        arguments: [
            "", "mon", "mon 7:00-18:00", "mon 07:00", "mon 07:00-18:60", "mon 07:00-24:01", "mon 24:00-06:00",
            "mon 07:00-07:00", "Mon 07:00-18:00", "mon,tue 07:00-18:00", "mon-tue-wed 07:00-18:00", "mon- 07:00-18:00",
            "mon  07:00-18:00", "mon 07:00-18:00 ", "mon 07:00 - 18:00", "mon 06:00-00:00", "tomorrow 07:00-18:00",
            "mon 0\u{0667}:00-18:00", "mon +7:00-18:00",
        ])
    func otherTextsAreRefused(text: String) { #expect(ReportHours.Interval(text) == nil) }
}
