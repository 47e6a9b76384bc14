import LocationKit
import Testing

@testable import locctl

/// A row per fix, in columns with fixed positions.
@Suite struct FixTableTests {
    private let table = FixTable(style: ScreenStyle(isColoured: false))

    @Test func columnsStandUnderTheirTitles() throws {
        let header = table.header(columns: 80).text
        let row = table.row(try MonitorSamples.location(), columns: 80).text
        #expect(row == "12:04:31.2  -33.856800   151.215300    ±3.2 m   12.5 m  13.9 m/s     87° 3D dgps")
        let end = header.firstRange(of: "COURSE").map { header.distance(from: header.startIndex, to: $0.upperBound) }
        #expect(end == Array(row).firstIndex(of: "°").map { $0 + 1 })
    }

    @Test func whatIsNotKnownMovesNothing() throws {
        let bare = Location(
            coordinate: try MonitorSamples.location().coordinate, monotonicTime: MonitorSamples.now,
            source: SourceInformation(name: "static"))
        let row = table.row(bare, columns: 80).text
        #expect(row == "         –  -33.856800   151.215300         –        –         –       – 2D")
    }

    @Test(arguments: [120, 80, 60, 48, 40, 30, 10, 1])
    func narrowTerminalsGetTheImportantColumns(columns: Int) throws {
        let header = table.header(columns: columns).text
        #expect(table.row(try MonitorSamples.location(), columns: columns).width <= columns)
        #expect(header.contains("LATITUDE") && header.contains("LONGITUDE"))
        #expect(header.contains("ACCURACY") == (columns >= 40))
        #expect(header.contains("TIME") == (columns >= 60))
    }

    @Test func asciiKeepsTheColumns() throws {
        let row = FixTable(style: ScreenStyle(isASCII: true)).row(try MonitorSamples.location(), columns: 80).text
        #expect(row == "12:04:31.2  -33.856800   151.215300     3.2 m   12.5 m  13.9 m/s      87 3D dgps")
    }

    @Test func inventedLocationsAreMarked() throws {
        var location = try MonitorSamples.location()
        location.source = SourceInformation(name: "simulator", method: .simulated)
        location.augmentation = nil
        #expect(table.row(location, columns: 80).text.contains("sim 3D"))
        #expect(table.row(location, columns: 30).text.contains("sim"))
    }
}
