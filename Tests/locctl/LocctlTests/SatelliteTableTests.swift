import Testing

@testable import locctl

/// The satellites on too small a screen.
@Suite struct SatelliteTableTests {
    @Test(arguments: [2, 3, 5, 9])
    func thoseThatAreLeftOutAreCounted(rows: Int) throws {
        let table = SatelliteTable(MonitorSamples.sky(60), style: ScreenStyle(), isCurrent: true, columns: 40)
        let lines = table.lines(rows: rows).map(\.text)
        #expect(lines.count == rows)
        let shown = lines.dropFirst().joined(separator: " ").split(separator: " ").count { word in
            "GREC".contains(word.uppercased().prefix(1)) && Int(word.dropFirst()) != nil
        }
        #expect(shown == 2 * (rows - 1) - 1, "two in a row, of which one says how many are missing")
        #expect(lines.last?.contains(" and \(60 - shown) more") == true, "\(lines)")
    }
}
