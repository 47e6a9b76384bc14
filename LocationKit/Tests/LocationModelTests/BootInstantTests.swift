import Foundation
@_spi(Programs) import LocationModel
import Testing

@Suite struct BootInstantTests {
    @Test(
        arguments: [
            (0.0, 0), (1.5, 1_500_000_000), (-2.25, -2_250_000_000), (1e-9, 1), (0.4e-9, 0), (0.6e-9, 1),
            (9.2e9, 9_200_000_000_000_000_000), (1e300, 9_200_000_000_000_000_000),
            (-1e300, -9_200_000_000_000_000_000), (.infinity, 9_200_000_000_000_000_000),
            (-.infinity, -9_200_000_000_000_000_000), (.nan, 0),
        ] as [(Double, Int64)])
    func secondsAreClamped(_ seconds: Double, _ nanoseconds: Int64) {
        #expect(BootInstant(seconds: seconds).nanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            (10, 1, 1_000_000_010), (10, -1, -999_999_990), (10, .nan, 10),
            (.max, 1, .max), (.min, -1, .min), (.max, -.infinity, .max - 9_200_000_000_000_000_000),
            (1_000_000_000_000_000_000, .infinity, .max), (-1_000_000_000_000_000_000, -.infinity, .min),
        ] as [(Int64, Double, Int64)])
    func advancingStaysInRange(_ start: Int64, _ seconds: Double, _ end: Int64) {
        #expect(BootInstant(nanoseconds: start).advanced(bySeconds: seconds).nanoseconds == end)
    }

    @Test(
        arguments: [
            (2_500_000_000, 1_000_000_000, 1.5), (1_000_000_000, 2_500_000_000, -1.5),
            (.max, .min, 0x1p64 / 1e9), (.min, .max, -0x1p64 / 1e9), (.max, .max, 0),
        ] as [(Int64, Int64, Double)])
    func differencesKeepTheirSign(_ later: Int64, _ earlier: Int64, _ seconds: Double) {
        let difference = BootInstant(nanoseconds: later).seconds(since: BootInstant(nanoseconds: earlier))
        #expect(abs(difference - seconds) < 1e-5)
    }

    @Test func earlierComesFirst() {
        #expect(BootInstant(nanoseconds: 1) < BootInstant(nanoseconds: 2))
        #expect(!(BootInstant(nanoseconds: 2) < BootInstant(nanoseconds: 2)))
    }

    @Test func isCodedAsSeconds() throws {
        let instant = BootInstant(nanoseconds: 12_345_250_000_000)
        let data = try JSONEncoder().encode(instant)
        #expect(String(decoding: data, as: UTF8.self) == "12345.25")
        #expect(try JSONDecoder().decode(BootInstant.self, from: data) == instant)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(BootInstant.self, from: Data(#""1""#.utf8)) }
    }

    @Test func immenseCodedSecondsAreClamped() throws {
        let instant = try JSONDecoder().decode(BootInstant.self, from: Data("1e200".utf8))
        #expect(instant.nanoseconds == 9_200_000_000_000_000_000)
    }
}
