@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// Moments in text: local, with the date unless it is today, and with what has to be known of them.
@Suite struct LocalTimeTests {
    private let berlin = MonitorSamples.clock(now: "2026-03-01T23:30:00.000Z", hours: 1)

    private func moment(_ text: String) throws -> UTCTime { try #require(UTCTime(text)) }

    @Test func aMomentOfTodayHasNoDate() throws {
        #expect(berlin.today == "2026-03-02", "it is past midnight there")
        #expect(berlin.words(try moment("2026-03-01T23:04:31.250Z")) == "00:04:31")
        #expect(berlin.words(try moment("2026-03-01T23:04:31.250Z"), tenths: true) == "00:04:31.2")
    }

    @Test func anotherDayIsSaid() throws {
        #expect(berlin.words(try moment("2026-03-01T22:59:59.990Z"), tenths: true) == "2026-03-01 23:59:59.9")
        #expect(berlin.words(try moment("2005-06-09T14:34:52.280Z")) == "2005-06-09 15:34:52")
    }

    /// What an evil daemon or a broken clock may say.
    @Test(arguments: [Int64.min, -62_167_219_200, 0, 253_402_300_799, Int64.max])
    func everyMomentHasWords(seconds: Int64) {
        for clock in [berlin, LocalTime.machine] { #expect(!clock.words(UTCTime(seconds: seconds)).isEmpty) }
    }

    @Test func theMachinesZoneIsUsed() throws {
        let moments = try ["2026-01-01T00:00:00Z", "2026-07-01T12:34:56Z"].map(moment)
        for moment in moments {
            // As the same moment is entered: `--from` takes local time.
            let words = LocalTime(now: UTCTime(seconds: 0), offset: LocalTime.machine.offset).words(moment)
            let entered = try #require(MomentArgument(String(words.prefix(16)), now: moment))
            #expect((0..<60).contains(moment.seconds(since: entered.begin)), "\(words)")
        }
    }

    @Test func whatReceiversSayOfTimeIsMarked() throws {
        var location = try MonitorSamples.location()
        let clock = MonitorSamples.clock
        #expect(MomentText.words(location, age: 1, clock) == "12:04:31.2")
        location.timestamp = try moment("2005-06-09T14:34:52.280Z")
        location.isTimestampImplausible = true
        #expect(MomentText.words(location, age: 1, clock) == "2005-06-09 14:34:52.2 (implausible)")
        location.timestamp = nil
        #expect(MomentText.words(location, age: 1.5, clock) == "12:04:30.5 (arrival)")
        #expect(MomentText.words(location, age: nil, clock) == "time unknown")
    }

    @Test func regionsHaveTheTimeOfTheirFixOrOfTheReport() throws {
        var location = try MonitorSamples.location()
        location.timestamp = nil
        var report = RegionReportOnWire(
            RegionReport(identifier: "circle", state: .inside), at: MonitorSamples.now)
        #expect(RegionText.line(report, MonitorSamples.clock).hasPrefix("12:04:32.0  is inside"))
        report.location = Aged(location, age: 2)
        #expect(RegionText.line(report, MonitorSamples.clock).hasPrefix("12:04:30.0 (arrival)  is inside"))
    }
}
