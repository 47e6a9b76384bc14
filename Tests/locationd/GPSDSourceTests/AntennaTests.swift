import CGPS
@_spi(Programs) import LocationModel
import Testing

@testable import GPSDSource

/// The antenna's state and the jamming indicator, which libgps reads since API 15 (gpsd 3.26).
@Suite struct AntennaTests {
    private static let isRead = GPSD_API_MAJOR_VERSION >= 15

    private func report(_ change: (inout PositionReport) -> Void) -> PositionReport {
        var report = PositionReport(device: "/dev/gps0", mode: 3, latitude: 52.5, longitude: 13.25)
        change(&report)
        return report
    }

    private func location(_ change: (inout PositionReport) -> Void) -> (location: Location?, spoilt: Int) {
        var spoilt = 0
        let verdict = report(change).verdict(source: "gpsd", at: BootInstant(seconds: 1), spoilt: &spoilt)
        guard case .fix(let location) = verdict else { return (nil, spoilt) }
        return (location, spoilt)
    }

    @Test func statesAreThoseOfTheHeader() {
        #expect([0, 1, 2, 3, 4, -1].map(AntennaState.init(gpsdState:)) == [nil, .ok, .open, .short, nil, nil])
    }

    @Test func bothAreInTheLocation() {
        let (told, spoilt) = location { ($0.antenna, $0.jamming) = (.ok, 17) }
        #expect(told?.antenna == .ok && told?.jamming == 17 && spoilt == 0)
        #expect(location { _ in }.location?.jamming == nil)
    }

    @Test func anImpossibleIndicatorIsLeftOut() {
        let (told, spoilt) = location { $0.jamming = 256 }
        #expect(told != nil && told?.jamming == nil && spoilt == 1)
    }

    @Test func aFaultIsAReason() {
        #expect(report { $0.antenna = .open }.obstacle == "/dev/gps0 has no antenna; check its plug and cable")
        #expect(report { $0.antenna = .short }.obstacle?.contains("short circuit") == true)
        #expect(report { $0.antenna = .ok }.obstacle == nil)
        #expect(report { ($0.mode, $0.jamming) = (1, 200) }.obstacle?.contains("jamming, 200 of 255") == true)
        #expect(report { ($0.mode, $0.jamming) = (1, 127) }.obstacle == nil)
        #expect(report { $0.jamming = 255 }.obstacle == nil, "it has a fix all the same")
    }

    @Test(.enabled(if: isRead, "libgps of gpsd 3.26 or later reads them")) func libgpsReadsThem() throws {
        let decoding = Decoding()
        let told = try decoding.position(Line.tpv(#""mode":3,"lat":1,"lon":2,"ant":2,"jam":17"#))
        #expect(told.antenna == .open && told.jamming == 17)
        let silent = try decoding.position(Line.tpv(#""mode":3,"lat":1,"lon":2"#))
        #expect(silent.antenna == nil && silent.jamming == nil)
    }

    @Test(.enabled(if: isRead, "libgps of gpsd 3.26 or later reads them")) func theReasonComesAndGoes() {
        let now = BootInstant(seconds: 1)
        var talk = Conversation(source: "gpsd", endpoint: GPSDEndpoint(), silenceTimeout: 10, at: now)
        for line in [Line.version, Line.devices(Line.device), Line.watch] {
            _ = talk.receive(Array(line.utf8), at: now)
        }
        let open = talk.receive(Array(Line.tpv(#""mode":1,"ant":2"#).utf8), at: now)
        guard case .emit(.condition(.connected(let reason?))) = open.first else {
            Issue.record("no reason: \(open)")
            return
        }
        #expect(reason.hasSuffix("has no antenna; check its plug and cable"))
        let mended = talk.receive(Array(Line.tpv(#""mode":1,"ant":1"#).utf8), at: now)
        #expect(mended.first == .emit(.condition(.connected(reason: nil))))
    }

    @Test(.enabled(if: !isRead, "libgps before gpsd 3.26")) func anOlderLibgpsReadsNeither() throws {
        let told = try Decoding().position(Line.tpv(#""mode":3,"lat":1,"lon":2,"ant":2,"jam":17"#))
        #expect(told.antenna == nil && told.jamming == nil)
    }
}
