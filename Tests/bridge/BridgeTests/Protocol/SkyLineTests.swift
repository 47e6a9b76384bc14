@_spi(Programs) import LocationModel
import Testing

@testable import GPSDProtocol

struct SkyLineTests {
    private func line(_ sky: SkyView) throws -> String {
        try #require(GPSDReport(sky).bytes(in: .json).lines.first)
    }

    @Test func aViewHasEveryFieldInGpsdsOrderAndPrecision() throws {
        var first = Satellite(gnss: "GPS", id: 26, used: true)
        (first.elevation, first.azimuth, first.signal) = (34, 52, 34.25)
        var location = try Sample.location()
        (location.hdop, location.vdop, location.pdop) = (2.72, 5.62, 6.25)
        var sky = SkyView([first, Satellite(gnss: "GLONASS", id: 18, used: false)], with: location)
        sky.time = UTCTime("2018-03-29T21:29:39.250Z")
        #expect(
            try line(sky)
                == #"{"class":"SKY","device":"/dev/ttyACM0","time":"2018-03-29T21:29:39.250Z","vdop":5.62,"hdop":2.72,"#
                + #""pdop":6.25,"nSat":2,"uSat":1,"satellites":[{"PRN":26,"el":34.0,"az":52.0,"ss":34.3,"used":true,"#
                + #""gnssid":0,"svid":26},{"PRN":82,"used":false,"gnssid":6,"svid":18}]}"#)
    }

    @Test func anEmptySkyIsSent() throws {
        #expect(
            try line(SkyView([], device: nil)) == #"{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}"#)
    }

    @Test func aViewHasItsSentencesWhereSomebodyWantsThem() {
        let report = GPSDReport(SkyView([], device: nil))
        #expect(report.bytes(in: .nmea) == [])
        #expect(report.bytes(in: [.json, .nmea]) == report.bytes(in: .json))
        let sentence = "$GPGSV,1,1,00*79\r\n"
        let both = GPSDReport(SkyView([], device: nil), sentences: sentence)
        #expect(both.bytes(in: .nmea).text == sentence && both.bytes(in: .json) == report.bytes(in: .json))
        #expect(both.bytes(in: [.json, .nmea]).text == sentence + report.bytes(in: .json).text)
        #expect(both.bytes(in: .nmea, isPadded: true).count == 1024)
    }

    @Test(arguments: [
        ("GPS", 1, 1, 0, 1), ("GPS", 32, 32, 0, 32), ("SBAS", 120, 33, 1, 120), ("SBAS", 151, 64, 1, 151),
        ("SBAS", 152, 152, 1, 152), ("SBAS", 158, 158, 1, 158), ("SBAS", 33, 33, 1, 120), ("SBAS", 64, 64, 1, 151),
        ("Galileo", 1, 301, 2, 1), ("Galileo", 36, 336, 2, 36), ("Galileo", 301, 301, 2, 1),
        ("BeiDou", 5, 405, 3, 5), ("BeiDou", 63, 463, 3, 63), ("BeiDou", 405, 405, 3, 5), ("IMES", 1, 173, 4, 1),
        ("QZSS", 3, 195, 5, 3), ("QZSS", 193, 193, 5, 1), ("GLONASS", 1, 65, 6, 1), ("GLONASS", 32, 96, 6, 32),
        ("GLONASS", 65, 65, 6, 1), ("GLONASS", 96, 96, 6, 32), ("NavIC", 3, 503, 7, 3),
    ])
    func aSatelliteHasGpsdsNumbers(system: String, id: Int, prn: Int, gnssid: Int, svid: Int) {
        let number = SatelliteNumber(Satellite(gnss: system, id: id, used: false))
        #expect(number?.prn == prn)
        #expect(number?.native?.system == gnssid && number?.native?.number == svid)
    }

    @Test(arguments: [
        ("GPS", 0), ("GPS", 33), ("GPS", -1), ("GLONASS", 255), ("GLONASS", 33), ("SBAS", 1), ("SBAS", 159),
        ("Galileo", 37), ("unknown", 0), ("unknown", 1000), ("GPS", .max), ("BeiDou", .min),
    ])
    func aNumberOutOfRangeIsLeftOut(system: String, id: Int) throws {
        let satellite = Satellite(gnss: system, id: id, used: true)
        #expect(SatelliteNumber(satellite) == nil)
        #expect(try line(SkyView([satellite], device: nil)).contains(#""nSat":0,"uSat":0,"satellites":[]"#))
    }

    @Test func anUnknownSystemHasItsPRNAlone() {
        let number = SatelliteNumber(Satellite(gnss: "unknown", id: 260, used: false))
        #expect(number?.prn == 260 && number?.native == nil)
    }

    /// Clients would count it among GPS's, or another's.
    @Test(arguments: [
        1, 32, 33, 64, 65, 96, 120, 158, 173, 182, 193, 202, 301, 336, 401, 463, 501, 518,
    ])
    func unknownSystemsNumberInAnothersRangeIsLeftOut(id: Int) throws {
        let satellite = Satellite(gnss: "unknown", id: id, used: true)
        #expect(try line(SkyView([satellite], device: nil)).contains(#""nSat":0,"uSat":0,"satellites":[]"#))
    }

    @Test func noMoreAreSentThanLibgpsHoldsAndTheUsedAreAmongThem() throws {
        let satellites = (600...899).map { Satellite(gnss: "unknown", id: $0, used: $0 % 3 == 0) }
        let text = try line(SkyView(satellites, device: Sample.path))
        #expect(text.contains(#""nSat":140,"uSat":100,"satellites":"#))
        #expect(text.components(of: "PRN") == 140)
        #expect(text.utf8.count < 20_480)
    }

    @Test func anAzimuthIsBelow360() throws {
        var satellite = Satellite(gnss: "GPS", id: 1, used: false)
        satellite.azimuth = 359.97
        #expect(try line(SkyView([satellite], device: nil)).contains(#""az":0.0"#))
    }
}
