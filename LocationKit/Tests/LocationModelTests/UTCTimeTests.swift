import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct UTCTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0, 0),
            ("2026-03-01T12:00:00.250Z", 1_772_366_400, 250_000_000),
            ("2024-02-29T23:59:59.999Z", 1_709_251_199, 999_000_000),
            ("2000-01-01T00:00:00.001Z", 946_684_800, 1_000_000),
            ("1969-12-31T23:59:59.500Z", -1, 500_000_000),
            ("1900-03-01T00:00:00.000Z", -2_203_891_200, 0),
            ("0000-01-01T00:00:00.000Z", -62_167_219_200, 0),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799, 999_000_000),
        ] as [(String, Int64, Int64)])
    func textAndTimeAreTheSame(_ text: String, _ seconds: Int64, _ nanoseconds: Int64) {
        let time = UTCTime(seconds: seconds, nanoseconds: nanoseconds)
        #expect(time.description == text)
        #expect(UTCTime(text) == time)
    }

    @Test(
        arguments: [
            ("2026-03-01T12:00:00Z", 0),
            ("2026-03-01T12:00:00.5Z", 500_000_000),
            ("2026-03-01t12:00:00.000000001z", 1),
            ("2026-03-01T12:00:00.123456789Z", 123_456_789),
        ] as [(String, Int64)])
    func fractionsOfAnyLengthAreRead(_ text: String, _ nanoseconds: Int64) {
        #expect(UTCTime(text) == UTCTime(seconds: 1_772_366_400, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        "", "Z", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01T12:00:00+00:00", "2026-03-01 12:00:00Z",
        "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00.1234567890Z", "2026-03-01T12:00:00.-1Z", "2026-03-01T12:00:00,5Z",
        "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-02-29T12:00:00Z", "1900-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z", "2026-03-00T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
        "2026-03-01T12:00:61Z", "26-03-01T12:00:00Z", "+026-03-01T12:00:00Z", "-026-03-01T12:00:00Z",
        "2026-3-01T12:00:00Z", " 2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z ", "2026-03-01T12:00:00ZZ",
        "２026-03-01T12:00:00Z", "2026-03-01T12:00:00é",
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(UTCTime(text) == nil)
    }

    /// Else what was read would be written with a year of five digits.
    @Test func whatCouldNotBeWrittenAgainIsRefused() {
        #expect(UTCTime("9999-12-31T23:59:60Z") == nil)
        #expect(UTCTime("9999-12-31T23:59:59.9995Z") == nil)
        #expect(UTCTime("9999-12-31T23:59:59.999499999Z")?.description == "9999-12-31T23:59:59.999Z")
    }

    @Test func leapSecondIsTheNextSecond() {
        #expect(UTCTime("2016-12-31T23:59:60Z")?.description == "2017-01-01T00:00:00.000Z")
        #expect(UTCTime("2016-12-31T23:59:60.250Z")?.description == "2017-01-01T00:00:00.250Z")
    }

    @Test(
        arguments: [
            (499_999, "2026-03-01T12:00:00.000Z"), (500_000, "2026-03-01T12:00:00.001Z"),
            (999_499_999, "2026-03-01T12:00:00.999Z"), (999_500_000, "2026-03-01T12:00:01.000Z"),
            (999_999_999, "2026-03-01T12:00:01.000Z"),
        ] as [(Int64, String)])
    func textIsRoundedToMilliseconds(_ nanoseconds: Int64, _ text: String) {
        #expect(UTCTime(seconds: 1_772_366_400, nanoseconds: nanoseconds).description == text)
    }

    @Test func roundingCarriesIntoTheYear() {
        #expect(
            UTCTime(seconds: 1_767_225_599, nanoseconds: 999_500_000).description == "2026-01-01T00:00:00.000Z")
        #expect(UTCTime(seconds: -1, nanoseconds: 999_500_000).roundedToMilliseconds == UTCTime(seconds: 0))
    }

    @Test func nanosecondsAreCarriedOver() {
        #expect(UTCTime(seconds: 10, nanoseconds: 2_500_000_000) == UTCTime(seconds: 12, nanoseconds: 500_000_000))
        #expect(UTCTime(seconds: 10, nanoseconds: -1) == UTCTime(seconds: 9, nanoseconds: 999_999_999))
        #expect(UTCTime(seconds: 10, nanoseconds: -1_000_000_000) == UTCTime(seconds: 9))
    }

    @Test func nanosecondsBeyondTheLastSecondAreClamped() {
        let last = UTCTime(seconds: .max, nanoseconds: 1_000_000_000)
        #expect(last == UTCTime(seconds: .max, nanoseconds: 999_999_999))
        #expect(last.roundedToMilliseconds == last)
        let first = UTCTime(seconds: .min, nanoseconds: -1)
        #expect(first == UTCTime(seconds: .min))
        #expect(UTCTime(seconds: 0, nanoseconds: .min) == UTCTime(seconds: -9_223_372_037, nanoseconds: 145_224_192))
        #expect(last.seconds(since: first) == 0x1p64)
        #expect(first.seconds(since: last) == -0x1p64)
        #expect(!last.description.isEmpty && !first.description.isEmpty)
    }

    @Test func differencesHaveASign() {
        let early = UTCTime(seconds: -1, nanoseconds: 750_000_000)
        let late = UTCTime(seconds: 1, nanoseconds: 250_000_000)
        #expect(late.seconds(since: early) == 1.5)
        #expect(early.seconds(since: late) == -1.5)
        #expect(early < late)
        #expect(UTCTime(seconds: 1) < UTCTime(seconds: 1, nanoseconds: 1))
    }

    @Test func isCodedAsText() throws {
        let time = UTCTime(seconds: 1_772_366_400, nanoseconds: 250_000_000)
        let data = try JSONEncoder().encode(time)
        #expect(String(decoding: data, as: UTF8.self) == #""2026-03-01T12:00:00.250Z""#)
        #expect(try JSONDecoder().decode(UTCTime.self, from: data) == time)
    }

    @Test(arguments: [#""yesterday""#, "1772366400"])
    func otherCodesAreErrors(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(UTCTime.self, from: Data(json.utf8)) }
    }

    @Test func millisecondsSurviveTextAnywhere() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let time = UTCTime(seconds: seconds, nanoseconds: .random(in: 0...999, using: &random) * 1_000_000)
            #expect(UTCTime(time.description) == time)
        }
    }
}
