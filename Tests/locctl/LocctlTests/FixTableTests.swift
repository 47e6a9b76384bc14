@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// A row per fix, in columns with fixed positions.
@Suite struct FixTableTests {
    private let table = FixTable(style: ScreenStyle(isColoured: false))

    private func row(_ location: Location, _ columns: Int, _ table: FixTable? = nil) -> ScreenLine {
        (table ?? self.table).row(Aged(location, age: 0.5), columns: columns, MonitorSamples.clock)
    }

    @Test func columnsStandUnderTheirTitles() throws {
        let header = table.header(columns: 80).text
        let row = self.row(try MonitorSamples.location(), 80).text
        #expect(row == "12:04:31.2  -33.856800   151.215300    ±3.2 m   12.5 m  13.9 m/s     87° 3D dgps")
        let end = header.firstRange(of: "COURSE").map { header.distance(from: header.startIndex, to: $0.upperBound) }
        #expect(end == Array(row).firstIndex(of: "°").map { $0 + 1 })
    }

    @Test func whatIsNotKnownMovesNothing() throws {
        let bare = Location(
            coordinate: try MonitorSamples.location().coordinate, monotonicTime: MonitorSamples.now,
            source: SourceInformation(name: "static"))
        let row = self.row(bare, 80).text
        #expect(row == "12:04:31*   -33.856800   151.215300         –        –         –       – 2D")
    }

    @Test(arguments: [120, 80, 60, 48, 40, 30, 10, 1])
    func narrowTerminalsGetTheImportantColumns(columns: Int) throws {
        let header = table.header(columns: columns).text
        #expect(row(try MonitorSamples.location(), columns).width <= columns)
        #expect(header.contains("LATITUDE") && header.contains("LONGITUDE"))
        #expect(header.contains("ACCURACY") == (columns >= 40))
        #expect(header.contains("TIME") == (columns >= 60))
    }

    @Test func asciiKeepsTheColumns() throws {
        let row = self.row(
            try MonitorSamples.location(), 80, FixTable(style: ScreenStyle(isASCII: true))
        ).text
        #expect(row == "12:04:31.2  -33.856800   151.215300     3.2 m   12.5 m  13.9 m/s      87 3D dgps")
    }

    @Test func inventedLocationsAreMarked() throws {
        var location = try MonitorSamples.location()
        location.source = SourceInformation(name: "simulator", method: .simulated)
        location.augmentation = nil
        #expect(row(location, 80).text.contains("sim 3D"))
        #expect(row(location, 30).text.contains("sim"))
    }

    /// Its coordinates are the first to be cut off, and never the mark.
    @Test(arguments: [120, 80, 60, 40, 30]) func whatIsNotBelievedIsNoRow(columns: Int) throws {
        var location = try MonitorSamples.location()
        location.implausibility = .jump
        let row = row(location, columns).text
        #expect(row.hasPrefix("12:04:31.2  (implausible: "), "\(row)")
        let whole = "12:04:31.2  (implausible: too far from the fix before)  -33.856800, 151.215300"
        #expect(whole.hasPrefix(row.hasSuffix("…") ? String(row.dropLast()) : row), "\(row)")
        #expect((row == whole) == (columns >= 80))
    }

    @Test func sourcesAreNamedWhereThereAreSeveral() throws {
        let table = FixTable(style: ScreenStyle(isColoured: false), namesSource: true)
        var location = try MonitorSamples.location()
        #expect(table.header(columns: 90).text.contains("SOURCE"))
        #expect(row(location, 90, table).text.hasPrefix("12:04:31.2  gpsd        -33.856800"))
        location.source = SourceInformation(name: "a receiver on the roof")
        #expect(row(location, 60, table).text.contains("a receiver  -33.856800"))
        location.implausibility = .nullIsland
        #expect(row(location, 120, table).text.contains("a receiver on the roof  (implausible: latitude 0"))
        #expect(!self.table.header(columns: 120).text.contains("SOURCE"))
    }

    @Test func anotherDayAndItsDoubtsAreSaidAboveTheRow() throws {
        var table = table
        let usual = Aged(try MonitorSamples.location(), age: 0.5)
        var rolledOver = usual
        rolledOver.value.timestamp = UTCTime("2006-07-15T14:34:52.280Z")
        rolledOver.value.isTimestampImplausible = true
        var texts: [[String]] = []
        for fix in [usual, rolledOver, rolledOver, usual] {
            texts.append(table.lines(fix, columns: 100, MonitorSamples.clock).map(\.text))
        }
        try #require(texts.map(\.count) == [1, 3, 1, 2], "\(texts)")
        #expect(texts[1][0] == "-- 2006-07-15" && texts[1][1].contains("implausible"))
        #expect(texts[1][2].hasPrefix("14:34:52?  "))
        #expect(texts[3][0] == "-- 2026-03-01")
    }

    @Test func timesOfArrivalAreMarkedAndExplainedOnce() throws {
        var table = table
        var fix = Aged(try MonitorSamples.location(), age: 0.5)
        fix.value.timestamp = nil
        let first = table.lines(fix, columns: 100, MonitorSamples.clock).map(\.text)
        let second = table.lines(fix, columns: 100, MonitorSamples.clock).map(\.text)
        try #require(first.count == 2 && second.count == 1, "\(first) \(second)")
        #expect(first[0].contains("times with * are those of arrival"), "\(first)")
        #expect(second[0].hasPrefix("12:04:31*  "), "\(second)")
    }
}
