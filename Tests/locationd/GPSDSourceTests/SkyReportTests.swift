@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

@Suite struct SkyReportTests {
    @Test func everyFieldOfAFullReport() throws {
        let report = try Decoding().sky(Line.fullSKY)
        #expect(report.device == Line.device)
        #expect(report.hdop == 2.72)
        #expect(report.vdop == 5.62)
        #expect(report.pdop == 6.25)
        #expect(report.satellitesUsed == 2)
        var gps = Satellite(gnss: "GPS", id: 26, used: true)
        (gps.azimuth, gps.elevation, gps.signal) = (52, 34, 34)
        var glonass = Satellite(gnss: "GLONASS", id: 18, used: false)
        (glonass.azimuth, glonass.elevation, glonass.signal) = (359, 9, 37)
        // Without a system's number it is the range of the PRN that tells, and an absent elevation is absent.
        var sbas = Satellite(gnss: "SBAS", id: 133, used: true)
        (sbas.azimuth, sbas.signal) = (192, 46)
        #expect(report.satellites == [gps, glonass, sbas])
    }

    @Test func holesInTheListAreClosed() throws {
        let report = try Decoding().sky(
            Line.sky(
                #""satellites":[{"PRN":1,"used":true},{"PRN":0,"used":false},{"used":false},{"PRN":-3,"used":false},"#
                    + #"{"PRN":5,"used":true},{"PRN":0},{"PRN":7,"used":false}]"#))
        #expect(report.satellites?.map(\.id) == [1, 5, 7])
        #expect(report.satellitesUsed == 2)
    }

    @Test func aReportWithoutListDoesNotLookEmpty() throws {
        // From gpsd 3.25 on, each epoch has a second one like this.
        let report = try Decoding().sky(Line.sky(#""hdop":2.1,"nSat":9,"uSat":5"#))
        #expect(report == SkyReport(device: Line.device, hdop: 2.1, satellitesUsed: 5))
        #expect(try Decoding().sky(Line.sky(#""hdop":2.1"#)) == SkyReport(device: Line.device, hdop: 2.1))
    }

    @Test func anEmptySkyIsEmpty() throws {
        #expect(try Decoding().sky(Line.sky(#""nSat":0,"uSat":0"#)).satellites == [])
        #expect(try Decoding().sky(Line.sky(#""nSat":0,"uSat":0"#)).satellitesUsed == 0)
        #expect(try Decoding().sky(Line.sky(#""nSat":0,"satellites":[]"#)).satellites == [])
        // Only gpsd's own count makes it so.
        #expect(try Decoding().sky(Line.sky(#""nSat":9,"satellites":[]"#)).satellites == nil)
    }

    @Test(arguments: ["-1", "1001", "99999999999", "1e3", #""5""#]) func impossibleCountsAreAbsent(_ count: String)
        throws
    {
        #expect(try Decoding().sky(Line.sky(#""hdop":2.1,"uSat":\#(count)"#)).satellitesUsed == nil)
    }

    @Test func gpsdsCountGoesBeforeOurs() throws {
        // Receivers that tell one satellite at a time leave the list short.
        #expect(try Decoding().sky(Line.sky(#""uSat":9,"satellites":[{"PRN":1,"used":true}]"#)).satellitesUsed == 9)
        #expect(try Decoding().sky(Line.sky(#""satellites":[{"PRN":1,"used":true}]"#)).satellitesUsed == 1)
    }

    /// The lines of ordinary reports, and of strange ones that libgps reads.
    private static let ordinary = [
        Line.fullSKY, Line.sky(satellites: 0, used: 0), Line.sky(satellites: 82, used: 60), Line.sky(#""hdop":2.1"#),
        Line.sky(#""hdop":2.1,"nSat":9,"uSat":5"#), Line.sky(#""nSat":0,"uSat":0"#),
        Line.sky(#""vdop":-1.0,"pdop":99.99"#),
        Line.sky(#""nSat":9,"satellites":[]"#), Line.sky(#""satellites":[{"PRN":1,"used":true}],"uSat":9"#),
        Line.sky(#""satellites":[{"PRN":1,"used":true},{"PRN":0,"used":true},{"used":true},{"PRN":-3,"used":true}]"#),
        Line.sky(#""satellites":[{"used":true,"PRN":7},{"used":false,"PRN":8}],"hdop":1.25"#),
        Line.sky(#""hdop":2.1"#, device: "/dev/serial/by-id/usb-u-blox_AG-if00"), #"{"class":"SKY","hdop":0.88}"#,
        #"{"class":"SKY","device":"","hdop":0.88}"#,
    ]

    @Test(arguments: ordinary) func countsAreReadWithoutLibgpsAsByIt(_ line: String) throws {
        let bytes = Array(line.utf8)
        guard case .report(.sky, let facts) = MessageGate.passage(for: bytes) else { throw Failure("did not pass") }
        var read = try Decoding().sky(line)
        read.satellites = nil
        #expect(try #require(SkyReport(counted: facts, in: bytes)) == read)
    }

    @Test(arguments: [
        #""hdop":"1.5""#, #""hdop":1.5,"hdop":2.5"#, #""vdop":null"#, #""satellites":7"#,
        #""satellites":[{"PRN":1.5,"used":true}]"#, #""satellites":[{"PRN":1,"used":1}]"#,
        #""satellites":[{"PRN":1,"used":true}],"satellites":[]"#,
    ])
    func whatGPSDDoesNotWriteIsLeftToLibgps(_ fields: String) throws {
        let line = Array(Line.sky(fields).utf8)
        guard case .report(.sky, let facts) = MessageGate.passage(for: line) else { throw Failure("did not pass") }
        #expect(SkyReport(counted: facts, in: line) == nil)
    }

    @Test func devicesThatGPSDDoesNotWriteAreLeftToLibgps() throws {
        for device in [#"/dev/\u0041"#, String(repeating: "d", count: 128)] {
            let line = Array(Line.sky(#""hdop":1.5"#, device: device).utf8)
            guard case .report(.sky, let facts) = MessageGate.passage(for: line) else { throw Failure("did not pass") }
            #expect(SkyReport(counted: facts, in: line) == nil)
        }
        let many = Array(Line.sky(satellites: 185, used: 9).utf8)
        guard case .report(.sky, let facts) = MessageGate.passage(for: many) else { throw Failure("did not pass") }
        #expect(SkyReport(counted: facts, in: many) == nil)
    }

    @Test func onlyWhoNeedsSatellitesIsGivenThem() throws {
        let talk = Talk.streaming(devices: Line.device)
        let line = Array(Line.fullSKY.utf8)
        #expect(
            talk.hear(line, needsSatellites: false)
                == [.emit(.satelliteCounts(SatelliteCounts(visible: 3, used: 2), device: Line.device, at: talk.now))])
        #expect(try talk.fix(Line.fullTPV).hdop == 2.72)
        #expect(try talk.fix(Line.fullTPV).satellitesUsed == 2)
        guard case .emit(.satellites(let all, _, _)) = talk.hear(Line.fullSKY).first else { throw Failure("no list") }
        #expect(all.count == 3)
    }

    @Test(arguments: [1, 12, 82, 140]) func manySatellitesAreRead(_ count: Int) throws {
        let report = try Decoding().sky(Line.sky(satellites: count, used: count / 2))
        #expect(report.satellites?.map(\.id) == Array(1...count))
        #expect(report.satellitesUsed == count / 2)
    }

    @Test(arguments: [141, 184, 185, 1000]) func moreSatellitesThanLibgpsHoldsDoNoHarm(_ count: Int) throws {
        let decoding = Decoding()
        _ = decoding.report(Line.sky(satellites: count, used: count))
        #expect(try decoding.sky(Line.sky(satellites: 2, used: 1)).satellites?.count == 2)
        #expect(try decoding.position(Line.fullTPV).latitude == 44.068789557)
    }

    @Test func anglesAndSignalsThatCannotBeAreAbsent() throws {
        func satellite(_ fields: String) throws -> Satellite {
            let report = try Decoding().sky(Line.sky(#""satellites":[{"PRN":1,\#(fields),"used":true}]"#))
            return try #require(report.satellites?.first)
        }
        for azimuth in ["-1.0", "360.0", "1e999"] { #expect(try satellite(#""az":\#(azimuth)"#).azimuth == nil) }
        for elevation in ["-90.5", "90.5", "-1e999"] { #expect(try satellite(#""el":\#(elevation)"#).elevation == nil) }
        for signal in ["-1.0", "254.5", "1e999"] { #expect(try satellite(#""ss":\#(signal)"#).signal == nil) }
        let good = try satellite(#""az":0.0,"el":-5.0,"ss":0.0"#)
        #expect(good.azimuth == 0)
        #expect(good.elevation == -5)
        #expect(good.signal == 0)
    }

    @Test(arguments: [
        (0, "GPS"), (1, "SBAS"), (2, "Galileo"), (3, "BeiDou"), (4, "IMES"), (5, "QZSS"), (6, "GLONASS"), (7, "NavIC"),
    ])
    func systemsHaveNames(id: Int, name: String) {
        #expect(GNSS.name(ofID: id) == name)
    }

    @Test func numbersOutsideEveryRangeAreUnknown() {
        for id in [-1, 8, 255, Int.max, .min] { #expect(GNSS.name(ofID: id) == "unknown") }
        for number in [0, -1, 97, 159, 500, Int.max] { #expect(GNSS.name(ofPRN: number) == "unknown") }
        for (number, name) in [(1, "GPS"), (32, "GPS"), (33, "SBAS"), (65, "GLONASS"), (120, "SBAS"), (193, "QZSS")] {
            #expect(GNSS.name(ofPRN: number) == name)
        }
    }
}
