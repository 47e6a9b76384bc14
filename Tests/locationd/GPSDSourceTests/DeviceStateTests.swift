@_spi(Programs) import LocationModel
import Testing

@testable import GPSDSource

@Suite struct DeviceStateTests {
    private var state = DeviceState()

    /// What a fix gets from the sky so many seconds after boot.
    private func completed(at seconds: Double, accuracy: Double? = nil) throws -> Location {
        let coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.25))
        let now = BootInstant(seconds: seconds)
        var location = Location(
            coordinate: coordinate, monotonicTime: now, source: SourceInformation(name: "gpsd"))
        location.horizontalAccuracy = accuracy
        var state = state
        state.complete(&location, at: now)
        return location
    }

    private mutating func take(_ report: SkyReport, at seconds: Double) {
        state.applySky(report, at: BootInstant(seconds: seconds))
    }

    private func satellites(used: Int) -> SkyReport {
        let list = (1...12).map { Satellite(gnss: "GPS", id: $0, used: $0 <= used) }
        return SkyReport(hdop: 1, vdop: 2, pdop: 3, satellites: list, satellitesUsed: used)
    }

    @Test func withoutASkyNothingIsKnown() throws {
        let location = try completed(at: 50)
        #expect(location.satellitesUsed == nil)
        #expect(location.hdop == nil)
    }

    @Test mutating func aSkyBelongsToTheFixesAfterIt() throws {
        take(satellites(used: 7), at: 50)
        for seconds in [50, 55, 59.9] {
            let location = try completed(at: seconds)
            #expect(location.satellitesUsed == 7)
            #expect(location.hdop == 1)
            #expect(location.vdop == 2)
            #expect(location.pdop == 3)
        }
        #expect(try completed(at: 60).satellitesUsed == nil)
        #expect(try completed(at: 60).pdop == nil)
    }

    @Test mutating func theLatestSkyCounts() throws {
        take(satellites(used: 7), at: 50)
        take(SkyReport(hdop: 4, satellites: [], satellitesUsed: 0), at: 51)
        let location = try completed(at: 51)
        #expect(location.satellitesUsed == 0)
        #expect(location.hdop == 4)
        #expect(location.vdop == nil)
    }

    @Test mutating func dilutionsAloneLeaveTheSatellites() throws {
        take(satellites(used: 7), at: 50)
        take(SkyReport(hdop: 4), at: 51)
        #expect(try completed(at: 51).satellitesUsed == 7)
        #expect(try completed(at: 51).hdop == 4)
        take(SkyReport(hdop: 5, satellitesUsed: 6), at: 52)
        #expect(try completed(at: 52).satellitesUsed == 6)
    }

    @Test mutating func dilutionsAloneDoNotKeepOldSatellitesYoung() throws {
        take(satellites(used: 7), at: 50)
        for seconds in stride(from: 51.0, to: 100, by: 1) { take(SkyReport(hdop: 4), at: seconds) }
        #expect(try completed(at: 99).hdop == 4)
        #expect(try completed(at: 99).satellitesUsed == nil)
        #expect(try completed(at: 59.5).satellitesUsed == 7)
    }

    @Test mutating func dilutionsThatCannotBeAreAbsent() throws {
        take(SkyReport(hdop: -1, vdop: 99.99, pdop: 0), at: 50)
        let location = try completed(at: 50)
        #expect(location.hdop == nil)
        #expect(location.vdop == 99.99)
        #expect(location.pdop == 0)
    }

    @Test mutating func withoutADilutionOrAnAccuracyTheBasisIsUnknown() throws {
        #expect(try completed(at: 50, accuracy: 19).accuracyBasis == nil)
        take(SkyReport(hdop: 1), at: 50)
        #expect(try completed(at: 50, accuracy: 19).accuracyBasis == .fromDOP)
        #expect(try completed(at: 50).accuracyBasis == nil)
        #expect(try completed(at: 60, accuracy: 19).accuracyBasis == nil)
    }
}

@Suite struct ErrorReportTests {
    private let talk = Talk.streaming(devices: Line.device)

    private func tpv(_ second: Int, _ more: String = "") -> String {
        Line.tpv(#""mode":3,"time":"2026-03-01T12:00:\#(10 + second).000Z","lat":52.5,"lon":13.25\#(more)"#)
    }

    private func gst(_ second: Int, _ fields: String, device: String = Line.device) -> String {
        #"{"class":"GST","device":"\#(device)","time":"2026-03-01T12:00:\#(10 + second).000Z",\#(fields)}"#
    }

    private static let full = #""rms":4.5,"major":3.5,"minor":2.25,"orient":230.0,"lat":3.0,"lon":2.5,"alt":6.0"#

    @Test func deviationsAreAnEllipse() throws {
        talk.hear(gst(0, Self.full))
        let ellipse = try #require(try talk.fix(tpv(0)).errorEllipse)
        #expect(ellipse.semiMajorAxis == 3.5 && ellipse.semiMinorAxis == 2.25 && ellipse.orientation == 50)
        #expect(ellipse.isStandardDeviation)
        #expect(try talk.fix(tpv(1)).errorEllipse == ellipse, "the report of an epoch may come after its fix")
        #expect(try talk.fix(tpv(2)).errorEllipse == nil)
    }

    @Test func withoutAxesTheyAreOfLongitudeAndLatitude() throws {
        talk.hear(gst(0, #""lat":3.0,"lon":2.5"#))
        let ellipse = try #require(try talk.fix(tpv(0)).errorEllipse)
        #expect(ellipse.semiMajorAxis == 3 && ellipse.semiMinorAxis == 2.5 && ellipse.orientation == 0)
        #expect(ellipse.isStandardDeviation)
    }

    @Test func anotherReceiversAreNotUsed() throws {
        talk.hear(gst(0, Self.full, device: "/dev/other"))
        #expect(try talk.fix(tpv(0)).errorEllipse == nil)
    }

    @Test func gpsdsErrorsInLongitudeAndLatitudeAreAnEllipse() throws {
        let ellipse = try #require(try talk.fix(tpv(0, #","epx":4.25,"epy":2.5"#)).errorEllipse)
        #expect(ellipse.semiMajorAxis == 4.25 && ellipse.semiMinorAxis == 2.5 && ellipse.orientation == 90)
        #expect(!ellipse.isStandardDeviation)
        #expect(try talk.fix(tpv(1, #","epx":4.25"#)).errorEllipse == nil)
    }

    @Test(arguments: [
        #""major":-1.0,"minor":2.0,"orient":3.0"#, #""major":1.0,"minor":2.0,"orient":3.0"#, #""rms":1.0"#,
    ])
    func impossibleOnesAreAbsent(_ fields: String) throws {
        talk.hear(gst(0, fields))
        #expect(try talk.fix(tpv(0)).errorEllipse == nil)
    }

    @Test func theGeoidSeparationIsTheReceivers() throws {
        #expect(try talk.fix(tpv(0, #","geoidSep":44.25"#)).geoidSeparation == 44.25)
        #expect(try talk.fix(tpv(1)).geoidSeparation == nil)
        #expect(try talk.fix(tpv(2, #","geoidSep":4425.0"#)).geoidSeparation == nil)
    }
}
