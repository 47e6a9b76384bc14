import CGPS
@_spi(Programs) import LocationModel
import Testing

@testable import GPSDSource

@Suite struct AttitudeReportTests {
    private static let isMagneticHeadingRead = GPSD_API_MAJOR_VERSION >= 14

    private func heading(_ fields: String) throws -> Heading? { Heading(try Decoding().attitude(Line.att(fields))) }

    @Test func everyFieldOfAFullReport() throws {
        let heading = try #require(Heading(try Decoding().attitude(Line.fullATT)))
        #expect(heading.trueHeading == 143.59)
        #expect(heading.pitch == -17.25)
        #expect(heading.roll == 33.5)
        #expect(heading.timestamp?.description == "2018-03-29T21:29:39.250Z")
        #expect(heading.magneticHeading == nil)
        #expect(heading.accuracy == nil)
    }

    @Test func anglesThatCannotBeAreAbsent() throws {
        // A real compass that was never calibrated.
        let heading = try #require(try heading(#""heading":14359.000,"pitch":172.00,"roll":-33.00,"dip":13647.000"#))
        #expect(heading.trueHeading == nil)
        #expect(heading.pitch == nil)
        #expect(heading.roll == -33)
    }

    @Test(arguments: [("0.0", 0), ("359.999", 359.999), ("360.0", 0), ("360.1", nil), ("-0.1", nil), ("1e999", nil)])
    func headingsAreWithinOneTurn(text: String, expected: Double?) throws {
        #expect(try heading(#""heading":\#(text),"pitch":0.0"#)?.trueHeading == expected)
    }

    /// What a compass of NMEA 0183 (HDM, HDG) becomes in gpsd 3.25.
    @Test func aMagneticHeadingIsReadWhereLibgpsReadsIt() throws {
        #expect(try heading(#""mheading":200.000"#)?.magneticHeading == (Self.isMagneticHeadingRead ? 200 : nil))
        let both = try #require(try heading(#""heading":300.000,"mheading":360.000,"rot":35.600"#))
        #expect(both.trueHeading == 300 && both.magneticHeading == (Self.isMagneticHeadingRead ? 0 : nil))
        #expect(try heading(#""mheading":361.000"#) == nil)
    }

    @Test func aMagneticHeadingDoesNotOutliveItsReport() throws {
        let decoding = Decoding()
        _ = try decoding.attitude(Line.att(#""mheading":200.000"#))
        #expect(try decoding.attitude(Line.att(#""heading":1.0"#)).magneticHeading == nil)
    }

    @Test func nothingUsableIsNoHeading() throws {
        #expect(try heading(#""dip":1.0,"mag_x":2450.000"#) == nil)
        #expect(try heading(#""heading":-1.0,"pitch":91.0,"roll":181.0"#) == nil)
        #expect(try heading("") == nil)
    }

    @Test(arguments: ["garbage", ""]) func aTimeThatIsNoneIsAbsent(_ time: String) throws {
        #expect(try heading(#""time":"\#(time)","heading":1.0"#)?.timestamp == nil)
    }
}
