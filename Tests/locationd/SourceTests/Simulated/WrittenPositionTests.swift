@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

/// Latitude, longitude, altitude, accuracy; what is wrong is told by line and never quoted.
@Suite struct WrittenPositionTests {
    private func position(_ text: String) throws(WrittenPosition.Mistake) -> WrittenPosition {
        try WrittenPosition(parsing: Array(text.utf8))
    }

    @Test func fourLinesWithCommentsAreRead() throws {
        let position = try position(
            """
            # The tower in Paris

            48.8584   # degrees north
            \t+2.2945\t# degrees east
            35#sea level
            1.5e1

            """)
        #expect(position.coordinate.latitude == 48.8584 && position.coordinate.longitude == 2.2945)
        #expect(position.altitude == 35 && position.horizontalAccuracy == 15)
    }

    @Test(arguments: ["-33.5\n-70.25", "-33.5\r\n-70.25\r\n", "\n\n-33.5\n# east\n-70.25\n#"])
    func altitudeAndAccuracyMayBeLeftOut(_ text: String) throws {
        let position = try position(text)
        #expect(position.coordinate.latitude == -33.5 && position.coordinate.longitude == -70.25)
        #expect(position.altitude == nil && position.horizontalAccuracy == nil)
    }

    private static let mistakes: [(String, Int?, String)] = [
        ("", nil, "the latitude is missing"),
        ("# nothing\n", nil, "the latitude is missing"),
        ("48.8584\n", nil, "the longitude is missing"),
        ("\n48,8584\n2.2945", 2, "the latitude is to be a number from -90 to 90 (degrees)"),
        ("90.001\n2", 1, "the latitude"),
        ("48\n\n-180.5", 3, "the longitude is to be a number from -180 to 180 (degrees)"),
        ("48 2\n35\n10", 1, "the latitude"),
        ("nan\n2", 1, "the latitude"),
        ("inf\n2", 1, "the latitude"),
        ("0x10\n2", 1, "the latitude"),
        ("1e999\n2", 1, "the latitude"),
        ("4\u{0660}\n2", 1, "the latitude"),
        ("48\n2\nhigh", 3, "the altitude is to be a number from -12000 to 100000 (metres)"),
        ("48\n2\n35\n-1", 4, "the accuracy is to be a number from 0 to 100000 (metres)"),
        ("48\n2\n35\n10\n5", 5, "there is a number after the accuracy"),
    ]

    @Test(arguments: mistakes.indices)
    func mistakeIsToldByItsLine(_ index: Int) throws {
        let (text, line, problem) = Self.mistakes[index]
        let mistake = #expect(throws: WrittenPosition.Mistake.self) { try position(text) }
        #expect(mistake?.line == line)
        #expect(mistake?.problem.hasPrefix(problem) == true, "\(mistake?.problem ?? "")")
    }

    /// The reason reaches clients that may not know the position.
    @Test(arguments: [
        ("48,8584", "the line has ','; write a point"), ("48.8584\u{B0}", "the line has '\u{B0}'"),
        ("48.8584 2.29", "the line has a space"), ("Berlin", "the line has letters"),
        ("N48.8584", "the line has letters"),
        ("4\u{0661}", "the line has letters"), ("91.25", "the line has a number outside of that"),
        ("48.85.84", "the line is no number"), ("48\u{1B}[", "the line has '\\u{1b}'"),
    ])
    func mistakeTellsWhatKindOfTextThereIsAndNothingOfThePlace(line: String, told: String) throws {
        let mistake = #expect(throws: WrittenPosition.Mistake.self) { try position(line + "\n2") }
        let problem = try #require(mistake?.problem)
        #expect(problem.contains("(degrees); " + told), "\(problem)")
        let read = problem.replacing("-90 to 90", with: "").filter(\.isNumber)
        #expect(!problem.contains("Berlin") && (read.isEmpty || line.contains("\u{1B}")), "\(problem)")
    }

    @Test func anyBytesAreReadWithoutHarm() {
        var state: UInt64 = 1
        for _ in 0..<2000 {
            let bytes = (0..<40).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return "0123456789.-+eE#\n \u{FF}".utf8.map(\.self)[Int(state >> 40) % 20]
            }
            guard let position = try? WrittenPosition(parsing: bytes) else { continue }
            #expect((-90...90).contains(position.coordinate.latitude))
            #expect(position.horizontalAccuracy.map { $0 >= 0 } ?? true)
        }
    }
}
