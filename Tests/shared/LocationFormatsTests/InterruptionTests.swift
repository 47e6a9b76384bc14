@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

/// A track of which a part is missing: the line ends there, and goes on after it.
@Suite struct InterruptionTests {
    @Test func segmentOfGPXEndsOnce() throws {
        var track = GPXTrack()
        var text = track.opening
        for seconds in [100.0, 101, 102, 103, 104] {
            if seconds == 102 { track.interrupt() }
            text += track.record(for: try Sample.bare(1, 2, seconds: seconds))
        }
        let root = try GPXReader.root(of: text + track.closing)
        #expect(root["trk", "trkseg"].map { $0["trkpt"].count } == [2, 3])
    }

    @Test func lineOfKMLEndsOnce() throws {
        var document = KMLDocument()
        var text = document.opening
        for seconds in [100.0, 101, 102, 103, 104] {
            if seconds == 102 { document.interrupt() }
            text += document.record(for: try Sample.bare(1, seconds - 100, seconds: seconds))
        }
        text += document.closing
        let lines = text.split(separator: "<LineString>").dropFirst().compactMap { part in
            part.split(separator: "<coordinates>").dropFirst().first?.split(separator: "<").first
        }
        #expect(lines == ["0,1 1,1", "2,1 3,1 4,1"])
    }
}
