@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

struct LocationFormatNameTests {
    @Test(arguments: [
        (LocationFormatName.geojson, "{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Feature\","),
        (.geojsonl, "{\"type\":\"Feature\","), (.gpx, "<?xml"), (.nmea, "$GPGGA,"),
        (.csv, "timestamp,"), (.kml, "<?xml"),
    ])
    func nameMakesItsFormat(name: LocationFormatName, start: String) throws {
        var format = name.makeFormat()
        #expect((format.opening + format.record(for: try Sample.full())).hasPrefix(start))
    }

    @Test func namesAreWhatAUserTypes() {
        #expect(LocationFormatName.allCases.map(\.rawValue) == ["geojson", "geojsonl", "gpx", "nmea", "csv", "kml"])
    }

    @Test func longestGapReachesTheTrack() throws {
        var format = LocationFormatName.gpx.makeFormat(longestGap: 5)
        _ = format.record(for: try Sample.bare(seconds: 0))
        #expect(format.record(for: try Sample.bare(seconds: 6)).hasPrefix("</trkseg>"))
    }
}
