@_spi(Programs) import LocationModel
import Testing

@testable import GPSDSource

/// libgps keeps what was there before, in flags, fields and shared memory: nothing of that is seen.
@Suite struct LibgpsMemoryTests {
    private static let disturbances = [
        Line.fullSKY, Line.fullATT, Line.tpv(#""mode":"3","lat":1.0"#), Line.tpv(#""foo":{"a":1},"lat":1.0,"mode":3"#),
        Line.tpv(#""mode":3,"lat":1e999,"lon":1e999"#),
        Line.tpv(#""mode":1"#, device: String(repeating: "d", count: 200)),
        #"{"class":"SKY","satellites":[{"PRN":"x"}]}"#, #"{"class":"ATT","heading":"x"}"#, #"{"class":"TPV",,}"#,
    ]

    @Test func nothingOfAFixOutlivesIt() throws {
        for disturbance in Self.disturbances {
            let decoding = Decoding()
            _ = try decoding.position(Line.fullTPV)
            _ = decoding.report(disturbance)
            #expect(
                try decoding.position(#"{"class":"TPV","mode":3,"time":"2018-03-29T21:29:40.000Z"}"#)
                    == PositionReport(mode: 3, time: UTCTime(seconds: 1_522_358_980)), "after \(disturbance)")
        }
    }

    @Test func nothingOfAFixOutlivesTheSameReportTwice() throws {
        let decoding = Decoding()
        let first = try decoding.position(Line.fullTPV)
        #expect(try decoding.position(Line.fullTPV) == first)
        #expect(try decoding.position(Line.tpv(#""mode":0"#)) == PositionReport(device: Line.device))
    }

    @Test func theDeviceOfAnEarlierReportIsForgotten() throws {
        let decoding = Decoding()
        _ = try decoding.position(Line.fullTPV)
        #expect(try decoding.position(#"{"class":"TPV","mode":1}"#).device == nil)
        #expect(try decoding.sky(Line.fullSKY).device == Line.device)
        #expect(try decoding.sky(#"{"class":"SKY","hdop":1.5}"#).device == nil)
        #expect(try decoding.attitude(Line.fullATT).device == Line.device)
        #expect(try decoding.attitude(#"{"class":"ATT","heading":1.5}"#).device == nil)
    }

    @Test func aSkyShowsOnlyItsOwnSatellitesAndDilutions() throws {
        let decoding = Decoding()
        _ = try decoding.sky(Line.sky(satellites: 82, used: 60))
        #expect(try decoding.sky(Line.sky(satellites: 2, used: 1)).satellites?.map(\.id) == [1, 2])
        let bare = try decoding.sky(#"{"class":"SKY","vdop":1.5}"#)
        #expect(bare == SkyReport(vdop: 1.5))
        // An object of an unknown key ends libgps' reading: what stands behind is lost, and nothing old takes its
        // place.
        let broken = try decoding.sky(#"{"class":"SKY","new":{"a":1},"hdop":2.0,"satellites":[{"PRN":5,"used":true}]}"#)
        #expect(broken.hdop == nil)
        #expect(broken.satellites?.isEmpty != false)
        #expect((broken.satellitesUsed ?? 0) == 0)
    }

    @Test func anAttitudeShowsOnlyItsOwnAngles() throws {
        let decoding = Decoding()
        _ = try decoding.attitude(Line.fullATT)
        #expect(try decoding.attitude(Line.att(#""roll":1.5"#)) == AttitudeReport(device: Line.device, roll: 1.5))
        // Attitude shares its memory with other messages in some versions of libgps.
        _ = try decoding.position(Line.fullTPV)
        _ = try decoding.sky(Line.fullSKY)
        #expect(try decoding.attitude(Line.att(#""pitch":2.5"#)) == AttitudeReport(device: Line.device, pitch: 2.5))
    }
}
