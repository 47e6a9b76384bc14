import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

/// TPV as libgps reads it: every number is the one that was printed, to the last bit; absent is `nil`.
@Suite struct PositionReportTests {
    /// Keys as gpsd prints them and where they belong.
    private static var numbers: [(key: String, format: String, path: KeyPath<PositionReport, Double?>)] {
        [
            ("lat", "%.9f", \.latitude), ("lon", "%.9f", \.longitude), ("altHAE", "%.4f", \.ellipsoidalAltitude),
            ("altMSL", "%.4f", \.altitude), ("epv", "%.3f", \.verticalAccuracy), ("track", "%.4f", \.course),
            ("magvar", "%.1f", \.magneticVariation), ("speed", "%.3f", \.speed), ("climb", "%.3f", \.climb),
            ("eps", "%.2f", \.speedAccuracy), ("epd", "%.4f", \.courseAccuracy), ("epc", "%.2f", \.climbAccuracy),
            ("eph", "%.3f", \.horizontalAccuracy),
        ]
    }

    @Test func everyNumberIsTheOneThatWasPrinted() throws {
        let decoding = Decoding()
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let texts = Self.numbers.map { String(format: $0.format, Double.random(in: -360...360, using: &generator)) }
            let fields = zip(Self.numbers, texts).map { #""\#($0.key)":\#($1)"# }.shuffled(using: &generator)
            let report = try decoding.position(Line.tpv(#""mode":3,"# + fields.joined(separator: ",")))
            for (number, text) in zip(Self.numbers, texts) {
                #expect(
                    report[keyPath: number.path]?.bitPattern == strtod(text, nil).bitPattern, "\(number.key) \(text)")
            }
        }
    }

    @Test(arguments: [
        "0", "-0.0", "1e-7", "9007199254740993", "0.1234567890123456789012345", "89.99999999999999", "1E2",
    ])
    func unusualSpellingsAreReadAsWell(_ text: String) throws {
        let report = try Decoding().position(Line.tpv(#""mode":3,"lat":\#(text)"#))
        #expect(report.latitude?.bitPattern == strtod(text, nil).bitPattern)
    }

    @Test func everythingElseOfAFullReport() throws {
        let report = try Decoding().position(Line.fullTPV)
        #expect(report.device == Line.device)
        #expect(report.mode == 3)
        #expect(report.status == 3)
        #expect(report.time?.description == "2018-03-29T21:29:39.250Z")
        #expect(report.infinite == 0)
        for number in Self.numbers { #expect(report[keyPath: number.path] != nil, "\(number.key)") }
    }

    @Test func absentIsNil() throws {
        let decoding = Decoding()
        #expect(try decoding.position(#"{"class":"TPV","mode":1}"#) == PositionReport(mode: 1))
        #expect(try decoding.position(#"{"class":"TPV","x":1,"mode":0}"#) == PositionReport())
        for number in Self.numbers {
            let report = try decoding.position(Line.tpv(#""mode":3,"\#(number.key)":7.5"#))
            let present = Self.numbers.filter { report[keyPath: $0.path] != nil }
            #expect(present.map(\.key) == [number.key])
        }
    }

    @Test func onlyTheHeightAboveTheSeaIsTheAltitude() throws {
        #expect(try Decoding().position(Line.tpv(#""mode":3,"alt":77.5"#)).altitude == nil)
        #expect(try Decoding().position(Line.tpv(#""mode":3,"altHAE":80.0,"geoidSep":2.5"#)).altitude == nil)
        let report = try Decoding().position(Line.tpv(#""mode":3,"alt":1.0,"altMSL":2.0,"altHAE":3.0"#))
        #expect(report.altitude == 2)
        #expect(report.ellipsoidalAltitude == 3)
    }

    @Test(arguments: ["lat", "lon", "speed", "altMSL"]) func infinityIsAbsentAndCounted(_ key: String) throws {
        for text in ["1e999", "-1e999"] {
            let report = try Decoding().position(Line.tpv(#""mode":3,"\#(key)":\#(text)"#))
            #expect(report == PositionReport(device: Line.device, mode: 3, infinite: Decoding.hasInfinity ? 1 : 0))
        }
    }

    @Test(arguments: ["null", "true", "false"]) func aNumberOfTheWrongTypeIsAbsentAlone(_ value: String) throws {
        let report = try Decoding().position(Line.tpv(#""mode":3,"lat":\#(value),"lon":2.5"#))
        #expect(report == PositionReport(device: Line.device, mode: 3, longitude: 2.5))
    }

    @Test func aTextInPlaceOfANumberEndsTheReport() throws {
        // What libgps does; what came before stays.
        let report = try Decoding().position(Line.tpv(#""mode":3,"lat":"5","lon":2.5"#))
        #expect(report == PositionReport(device: Line.device, mode: 3))
    }

    @Test(arguments: [
        ("2018-03-29T21:29:39.250Z", "2018-03-29T21:29:39.250Z"),
        ("2018-03-29T21:29:39.0004Z", "2018-03-29T21:29:39.000Z"),
        ("2016-12-31T23:59:60.500Z", "2017-01-01T00:00:00.500Z"),
        ("2099-12-31T23:59:59.9996Z", "2100-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"), ("9999-12-31T23:59:59.9999Z", nil),
        ("garbage", nil), ("", nil), ("0000-00-00T00:00:00Z", nil), ("1969-12-31T23:59:59Z", nil), ("-", nil),
    ])
    func timesAreMomentsOrNothing(text: String, expected: String?) throws {
        let report = try Decoding().position(Line.tpv(#""mode":3,"time":"\#(text)""#))
        #expect(report.time?.description == expected)
        #expect(report.mode == 3)
    }

    @Test func theLastLeapSecondDoesNotLeaveFourDigits() throws {
        // libgps of gpsd 3.22 makes it the first second of the year 10000, that of gpsd 3.25 the last of 9999.
        let report = try Decoding().position(Line.tpv(#""mode":3,"time":"9999-12-31T23:59:60Z""#))
        #expect([nil, "9999-12-31T23:59:59.000Z"].contains(report.time?.description))
    }

    @Test func devicesAreTextWhateverTheyHold() throws {
        func device(_ path: String) throws -> String? {
            try Decoding().position(Line.tpv(#""mode":1"#, device: path)).device
        }
        #expect(try device("/dev/pts/ü") == "/dev/pts/ü")
        #expect(try device(#"/dev/\"a\"\\b"#) == #"/dev/"a"\b"#)
        #expect(try device(#"caf\u00e9"#) == "caf\u{FFFD}")
        #expect(try device("") == nil)
        #expect(try device("tcp://10.0.0.1:2948") == "tcp://10.0.0.1:2948")
    }
}
