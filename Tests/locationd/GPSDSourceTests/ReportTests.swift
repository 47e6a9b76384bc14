@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

/// What reports become once the conversation has come to them.
@Suite struct ReportTests {
    private let talk = Talk.streaming(devices: "/dev/a", "/dev/b")

    private func tpv(_ latitude: Double, device: String? = "/dev/a") -> String {
        let fields = #""mode":3,"lat":\#(latitude),"lon":13.25"#
        return device.map { Line.tpv(fields, device: $0) } ?? #"{"class":"TPV",\#(fields)}"#
    }

    @Test func aFixIsToldAtOnceWithItsDevice() throws {
        let location = try talk.fix(tpv(52.5), after: 3)
        #expect(location.coordinate.latitude == 52.5)
        #expect(location.source == SourceInformation(name: "gpsd", device: "/dev/a"))
        #expect(location.monotonicTime == talk.now)
        #expect(try talk.fix(tpv(52.5, device: nil)).source.device == nil)
    }

    @Test func anOldPositionNeverLooksNew() throws {
        _ = try talk.fix(tpv(52.5))
        talk.hear(Line.fullSKY)
        talk.hear("garbage")
        // libgps' flags would still say that there is a position.
        #expect(talk.hear(Line.tpv(#""mode":3"#, device: "/dev/a")).isEmpty)
        #expect(talk.hear(Line.tpv(#""mode":1"#, device: "/dev/a")) == [.emit(.noFix(device: "/dev/a"))])
        #expect(talk.hear(Line.tpv(#""mode":3,"lat":9.9"#, device: "/dev/a")).isEmpty)
        let broken = #"{"class":"TPV","mode":3,"lat":9.9,,,}"#
        #expect(talk.hear(broken) == [.count("malformed", example: Array(broken.utf8))])
    }

    @Test(arguments: ["-1", "4", "7", "99999999999"]) func impossibleModesAreCounted(_ mode: String) throws {
        let line = Line.tpv(#""mode":\#(mode),"lat":1.0,"lon":2.0"#)
        guard case .count(_, let example) = talk.hear(line).first else { throw Failure("not counted") }
        #expect(example == Array(line.utf8))
    }

    @Test func aPositionOfInfinityIsNone() {
        let line = Line.tpv(#""mode":3,"lat":1e999,"lon":2.0"#)
        #expect(talk.hear(line) == (Decoding.hasInfinity ? [.count("impossible", example: Array(line.utf8))] : []))
    }

    @Test(arguments: [
        #""mode":3,"lat":91.0,"lon":2.0"#, #""mode":2,"lat":1.0,"lon":-180.5"#,
    ])
    func impossiblePositionsAreCounted(_ fields: String) {
        let line = Line.tpv(fields)
        #expect(talk.hear(line) == [.count("impossible", example: Array(line.utf8))])
    }

    @Test func aSpoiltFieldCostsOnlyItself() throws {
        let line = Line.tpv(#""mode":3,"lat":1.0,"lon":2.0,"speed":-5.0,"track":1e999,"altMSL":35.5"#)
        let steps = talk.hear(line)
        #expect(steps.count == 2)
        #expect(steps.last == .count("spoiltFields", example: Array(line.utf8)))
        guard case .emit(.fix(let location)) = steps.first else { throw Failure("no fix") }
        #expect(location.speed == nil)
        #expect(location.course == nil)
        #expect(location.altitude == 35.5)
    }

    @Test(arguments: [
        #""mode":"3","lat":1.0,"lon":2.0"#, #""new":{"a":1},"mode":3,"lat":1.0,"lon":2.0"#, #""lat":1.0,"lon":2.0"#,
        #""mode":3.7,"lat":1.0,"lon":2.0"#,
    ])
    func aModeThatLibgpsCouldNotReadIsNoLossOfTheFix(_ fields: String) {
        let line = Line.tpv(fields)
        #expect(talk.hear(line) == [.count("malformed", example: Array(line.utf8))])
        let long = Line.tpv(#""mode":3,"lat":1.0,"lon":2.0"#, device: String(repeating: "d", count: 200))
        #expect(talk.hear(long) == [.count("malformed", example: Array(long.utf8))])
    }

    @Test func severalReceiversKeepTheirSkiesApart() throws {
        talk.hear(Line.sky(#""hdop":1.5,"uSat":5"#, device: "/dev/a"))
        talk.hear(Line.sky(#""hdop":2.5,"uSat":7"#, device: "/dev/b"))
        #expect(try talk.fix(tpv(1, device: "/dev/b")).hdop == 2.5)
        #expect(try talk.fix(tpv(1, device: "/dev/a")).hdop == 1.5)
        #expect(try talk.fix(tpv(1, device: "/dev/a")).satellitesUsed == 5)
        #expect(try talk.fix(tpv(1, device: "/dev/c")).satellitesUsed == nil)
        #expect(try talk.fix(tpv(1, device: nil)).hdop == nil)
    }

    @Test func aSkyGrowsOldByItself() throws {
        talk.hear(Line.sky(#""hdop":1.5,"uSat":5"#, device: "/dev/a"))
        #expect(try talk.fix(tpv(1), after: 9.9).hdop == 1.5)
        #expect(try talk.fix(tpv(1), after: 0.1).hdop == nil)
    }

    @Test func satellitesAreToldOnlyWithAList() {
        #expect(talk.hear(Line.sky(#""hdop":1.5,"nSat":9,"uSat":5"#)).isEmpty)
        let satellite = Satellite(gnss: "GPS", id: 5, used: true)
        #expect(
            talk.hear(Line.sky(#""satellites":[{"PRN":5,"used":true}]"#), after: 1)
                == [.emit(.satellites([satellite], device: Line.device, at: talk.now))])
        #expect(
            talk.hear(Line.sky(#""nSat":0,"uSat":0"#)) == [.emit(.satellites([], device: Line.device, at: talk.now))])
    }

    @Test func headingsAreToldIfThereIsAny() {
        var heading = Heading()
        heading.trueHeading = 90.5
        #expect(
            talk.hear(Line.att(#""heading":90.5"#)) == [.emit(.heading(heading, device: Line.device, at: talk.now))])
        #expect(talk.hear(Line.att(#""dip":90.5"#)).isEmpty)
    }

    @Test func aTimeThatRunsBackwardsStopsNothing() throws {
        for time in ["2036-08-16T23:59:58.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z"] {
            let line = Line.tpv(#""mode":3,"time":"\#(time)","lat":1.0,"lon":2.0"#)
            #expect(try talk.fix(line).timestamp?.description == time)
        }
    }
}
