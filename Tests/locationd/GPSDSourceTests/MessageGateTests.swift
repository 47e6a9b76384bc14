@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

@Suite struct MessageGateTests {
    private func passage(_ line: String) -> MessageGate.Passage { MessageGate.passage(for: Array(line.utf8)) }

    private func reportClass(_ line: String) -> MessageGate.ReportClass? {
        guard case .report(let kind, _) = passage(line) else { return nil }
        return kind
    }

    @Test func gpsdsOwnReportsPass() {
        #expect(reportClass(Line.fullTPV) == .position)
        #expect(reportClass(Line.fullSKY) == .sky)
        #expect(reportClass(Line.fullATT) == .attitude)
        #expect(reportClass(#"{"class":"TPV","mode":0}"#) == .position)
        #expect(reportClass(Line.sky(satellites: 82, used: 60)) == .sky)
    }

    @Test func whatPassesCarriesItsFacts() throws {
        guard case .report(.sky, let facts) = passage(Line.fullSKY) else { throw Failure("did not pass") }
        let expected = JSONScanner.Facts(
            classKeys: 1, hasSatellites: true, satellitesVisible: 3, satellitesUsed: 2,
            listed: SatelliteCounts(visible: 3, used: 2), device: 25..<37, hdop: 2.72, vdop: 5.62, pdop: 6.25)
        #expect(facts == expected)
    }

    @Test(arguments: ["VERSION", "DEVICES", "DEVICE", "WATCH", "ERROR"]) func gpsdsOwnAffairsAreForUs(_ name: String) {
        #expect(passage(#"{"class":"\#(name)"}"#) == .control(name))
        #expect(passage(#"{"class":"\#(name)","x":[}"#) == .control(name))
    }

    @Test(arguments: ["TOFF", "PPS", "OSC", "POLL", "AIS", "RTCM3", "RAW", "IMU", "tpv", "TPV ", "", "NEW"])
    func unknownClassesAreIgnored(_ name: String) {
        #expect(passage(#"{"class":"\#(name)","mode":3}"#) == .ignored)
    }

    /// libgps loops for ever on several of these, or takes them for what they are not.
    @Test(arguments: [
        "", "{", "}", "TPV", "$GPRMC,1,2,3*00", #"["class"]"#, #"{"mode":3,"class":"TPV","lat":1}"#,
        #"{"class": "TPV","mode":3}"#,
        #"{"class" :"TPV","mode":3}"#, #"{ "class":"TPV","mode":3}"#, #" {"class":"TPV","mode":3}"#, #"{"class":1}"#,
        #"{"class":null,"mode":3}"#, #"{"class":{"class":"TPV"}}"#, #"{"class":["TPV"]}"#, #"{"class":"TPV"#,
        #"{"class":""#,
        #"{'class':'TPV'}"#, #"{"Class":"TPV","mode":3}"#, #"[{"class":"TPV","mode":3}]"#,
        "\u{FEFF}{\"class\":\"TPV\",\"mode\":3}",
        "{\"class\":\"TPV\",\"mode\":3}\0", "{\"class\":\"TPV\",\0\"mode\":3}",
        "{\"class\":\"TPV\",\"device\":\"/dev\0\",\"mode\":3}",
        "{\"class\":\"DEV\0ICES\"}",
    ])
    func garbageIsNotReadAtAll(_ line: String) {
        #expect(passage(line) == .rejected(.garbage))
    }

    @Test(arguments: [
        #"{"class":"TPV"}"#, #"{"class":"SKY"}"#, #"{"class":"ATT" ,"heading":1}"#, #"{"class":"TPV" }"#,
        #"{"class":"TPV",}"#,
        #"{"class":"TPV","class":"TPV"}"#, #"{"class":"TPV","mode":3,"class":"SKY"}"#,
        #"{"class":"TPV",x "class":"TPV"}"#,
        #"{"class":"TPV","mode":3} x{"class":"TPV","mode":3}"#, #"{"class":"TPV","mode":3}{"class":"TPV","mode":3}"#,
        // The next four are strict JSON, and libgps never comes back from some of them.
        #"{"class":"TPV","a\"b":-1,"mode":7,"heading":null,"hdop":{},"x":{"class":"SKY"}}"#,
        #"{"class":"ATT","device":1e-400,"mode":{"class":"SKY"},"lon":{"class":"TPV","mode":3}}"#,
        #"{"class":"SKY","satellites":[{"class":"SKY","PRN":1}]}"#, #"{"class":"TPV","a\"class":1}"#,
        #"{"class":"TPV","class" :"SKY"}"#,
        #"{"class":"TPV","mode":3,"lat":9.9,,,}"#, #"{"class":"TPV","mode":3,"lat":nan}"#,
        #"{"class":"TPV","mode":03}"#,
        #"{"class":"TPV","mode":3,"lat":52.5"#, #"{"class":"TPV"]"#, #"{"class":"TPV","a":[[[}"#,
        #"{"class":"TPV","mode":3}]"#,
        "{\"class\":\"TPV\",\"device\":\"a\u{01}b\",\"mode\":3}",
    ])
    func almostAReportDoesNotPass(_ line: String) {
        #expect(passage(line) == .rejected(.malformed))
    }

    @Test func everyBeginningOfALineIsRejected() {
        for line in [Line.fullTPV, Line.fullSKY, Line.fullATT] {
            for end in 0..<line.utf8.count {
                let kind = reportClass(String(decoding: Array(line.utf8)[..<end], as: UTF8.self))
                #expect(kind == nil, "\(end) bytes of \(line)")
            }
        }
    }
}
