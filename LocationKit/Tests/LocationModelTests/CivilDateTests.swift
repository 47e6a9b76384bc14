@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct CivilDateTests {
    @Test(
        arguments: [
            (0, CivilDate(year: 1970, month: 1, day: 1)),
            (-1, CivilDate(year: 1969, month: 12, day: 31)),
            (11_016, CivilDate(year: 2000, month: 2, day: 29)),
            (11_017, CivilDate(year: 2000, month: 3, day: 1)),
            (-25_508, CivilDate(year: 1900, month: 3, day: 1)),
            (-719_468, CivilDate(year: 0, month: 3, day: 1)),
            (-719_529, CivilDate(year: -1, month: 12, day: 31)),
            (2_932_896, CivilDate(year: 9999, month: 12, day: 31)),
        ] as [(Int64, CivilDate)])
    func daysAndDatesAreTheSame(_ days: Int64, _ date: CivilDate) {
        #expect(CivilDate(daysSince1970: days) == date)
        #expect(date.daysSince1970 == days)
    }

    /// Every day from 1 BC to beyond 2400, counted with the plain rule for leap years.
    @Test func calendarIsCountedDayByDay() {
        var (year, month, day) = (Int64(0), Int64(1), Int64(1))
        var wrong: [CivilDate] = []
        for days in Int64(-719_528)...160_000 {
            let date = CivilDate(year: year, month: month, day: day)
            if CivilDate(daysSince1970: days) != date || date.daysSince1970 != days { wrong.append(date) }
            day += 1
            guard day > length(ofMonth: month, in: year) else { continue }
            (month, day) = month == 12 ? (1, 1) : (month + 1, 1)
            if month == 1 { year += 1 }
        }
        #expect(wrong.isEmpty)
        #expect(year == 2408)
    }

    @Test func remoteDaysSurvive() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<5000 {
            let days = Int64.random(in: -300_000_000_000_000_000...300_000_000_000_000_000, using: &random)
            let date = CivilDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
            #expect((1...12).contains(date.month) && (1...31).contains(date.day))
        }
    }
}

private func length(ofMonth month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}
