@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

struct NMEATests {
    /// The fields of the two sentences of a location, after their frames are checked.
    private func fields(_ location: Location) throws -> (gga: [String], rmc: [String]) {
        let text = NMEASentences.record(for: location)
        let sentences = text.unicodeScalars.split(separator: "\n").map { String($0) + "\n" }
        try #require((3...4).contains(sentences.count))
        let fields = sentences.map { sentence in
            #expect(sentence.utf8.count <= 82, "\(sentence)")
            #expect(sentence.hasPrefix("$GP") && sentence.unicodeScalars.suffix(2).elementsEqual("\r\n".unicodeScalars))
            let halves = sentence.unicodeScalars.dropFirst().dropLast(2).split(separator: "*").map { String($0) }
            #expect(UInt8(halves[1], radix: 16) == halves[0].utf8.reduce(0, ^))
            #expect(halves[1].utf8.count == 2 && halves[1] == halves[1].uppercased())
            return halves[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(fields[0].count == 15 && fields[0][0] == "GPGGA")
        #expect(fields[1].count == 13 && fields[1][0] == "GPRMC")
        #expect(fields[0][1] == fields[1][1] && fields[0][2...5] == fields[1][3...6])
        return (fields[0], fields[1])
    }

    /// Degrees of `dddmm.mmmmmm` and a hemisphere.
    private func degrees(_ text: String, _ hemisphere: String) throws -> Double {
        let number = try #require(Double(text))
        let whole = (number / 100).rounded(.towardZero)
        let minutes = number - whole * 100
        #expect(minutes < 60)
        return (whole + minutes / 60) * ("SW".contains(hemisphere) ? -1 : 1)
    }

    @Test func sentencesAreWrittenByteByByte() throws {
        #expect(
            NMEASentences.record(for: try Sample.full(-52.5163, -3.3777))
                == "$GPGGA,120000.25,5230.978000,S,00322.662000,W,2,09,0.90,34.20,M,39.50,M,,*6D\r\n"
                + "$GPRMC,120000.25,A,5230.978000,S,00322.662000,W,10.21,271.50,010326,4.5,E,D*0C\r\n"
                + "$GPGSA,A,3,,,,,,,,,,,,,1.60,0.90,1.30*0E\r\n$GPGST,120000.25,,,,,2.50,2.50,4.25*60\r\n")
    }

    @Test func knownChecksumIsRight() {
        // The example that is found in most descriptions of the standard.
        let sentence = NMEASentence.framed([
            "GPGGA", "123519", "4807.038", "N", "01131.000", "E", "1", "08", "0.9", "545.4", "M", "46.9", "M", "", "",
        ])
        #expect(sentence == "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n")
    }

    @Test func noFixIsToldByQualityAndStatus() {
        #expect(
            NMEASentences.noFix
                == "$GPGGA,,,,,,0,,,,,,,,*66\r\n$GPRMC,,V,,,,,,,,,,N*53\r\n$GPGSA,A,1,,,,,,,,,,,,,,,*1E\r\n")
    }

    @Test func absentIsEmpty() throws {
        let (gga, rmc) = try fields(try Sample.bare(-0.0, -0.0))
        #expect(
            gga == ["GPGGA", "", "0000.000000", "N", "00000.000000", "E", "1", "", "", "", "", "", "", "", ""])
        #expect(rmc == ["GPRMC", "", "A", "0000.000000", "N", "00000.000000", "E", "", "", "", "", "", "A"])
    }

    @Test(arguments: Sample.edges)
    func positionReadsBackToACentimetre(latitude: Double, longitude: Double) throws {
        let (gga, _) = try fields(try Sample.full(latitude, longitude))
        // A degree of latitude is 111.7 km at most.
        #expect(try abs(degrees(gga[2], gga[3]) - latitude) * 111_700 < 0.01)
        #expect(try abs(degrees(gga[4], gga[5]) - longitude) * 111_400 < 0.01)
    }

    @Test(arguments: [
        (47 + 59.9999999 / 60, "4800.000000", "N"), (-(0.9999999999), "0100.000000", "S"), (90, "9000.000000", "N"),
        (59.99999949 / 60, "0059.999999", "N"), (-1e-12, "0000.000000", "N"),
    ])
    func minutesCarryIntoDegrees(latitude: Double, text: String, hemisphere: String) throws {
        let (gga, _) = try fields(try Sample.full(latitude, 0))
        #expect(gga[2...3] == [text, hemisphere])
    }

    @Test(arguments: Sample.absurdNumbers, Sample.edges)
    func absurdNumbersKeepFramesAndLength(number: Double, edge: (Double, Double)) throws {
        var location = try Sample.absurd(number)
        location.coordinate = try #require(Coordinate(latitude: edge.0, longitude: edge.1))
        location.timestamp = UTCTime("2026-03-01T12:00:00.251Z")
        let (gga, rmc) = try fields(location)
        let numbers = [gga[8], gga[9], gga[11], rmc[7], rmc[8], rmc[10]].filter { !$0.isEmpty }
        #expect(numbers.allSatisfy { Double($0)?.isFinite == true && !$0.contains("e") })
        if !rmc[8].isEmpty {
            #expect((0..<360).contains(try #require(Double(rmc[8]))))
        }
        #expect(gga[7].isEmpty)
    }

    @Test func longestSentencesFit() throws {
        var location = try Sample.full(-89.123456789, -179.123456789)
        location.timestamp = UTCTime("2026-12-31T23:59:59.999Z")
        location.hdop = 1000
        location.altitude = -99_998.99
        location.ellipsoidalAltitude = -100_997.98
        location.speed = 51_443
        location.course = 359.99
        location.magneticVariation = -179.9
        let (gga, rmc) = try fields(location)
        #expect(
            gga == [
                "GPGGA", "235959.999", "8907.4074", "S", "17907.4074", "W", "2", "09", "99.99", "-99998.99", "M",
                "-998.99",
                "M", "", "",
            ])
        #expect(rmc[7...] == ["99997.19", "359.99", "311226", "179.9", "W", "D"])
    }

    @Test(arguments: [
        ("2026-02-28T23:59:59.9996Z", "000000.00", "010326"), ("1969-12-31T23:59:58.120Z", "235958.12", "311269"),
        ("2000-02-29T00:00:00.005Z", "000000.005", "290200"), ("9999-12-31T23:59:59.9999Z", "", ""),
        ("0000-12-31T12:00:00Z", "", ""),
    ])
    func timeAndDateCarry(timestamp: String, time: String, date: String) throws {
        var location = try Sample.bare()
        location.timestamp = UTCTime(timestamp)
        let (gga, rmc) = try fields(location)
        #expect(gga[1] == time)
        #expect(rmc[9] == date)
    }

    @Test func timeThatRoundsIntoTheYear10000IsEmpty() throws {
        var location = try Sample.bare()
        location.timestamp = UTCTime(seconds: 253_402_300_799, nanoseconds: 999_600_000)
        let (gga, rmc) = try fields(location)
        #expect(gga[1].isEmpty && rmc[9].isEmpty)
    }

    @Test(arguments: [
        (Augmentation?.none, "1", "A"), (.dgps, "2", "D"), (.precise, "3", "P"), (.rtkFixed, "4", "R"),
        (.rtkFloat, "5", "F"), (.deadReckoning, "6", "E"), (.timeOnly, "7", "M"), (.simulated, "8", "S"),
        (.gnssDeadReckoning, "1", "A"), (.unknown, "1", "A"),
    ])
    func qualityTellsTheAugmentation(augmentation: Augmentation?, quality: String, mode: String) throws {
        var location = try Sample.full()
        location.augmentation = augmentation
        var (gga, rmc) = try fields(location)
        #expect(gga[6] == quality && rmc[12] == mode && rmc[2] == "A")
        location.source.method = .fixedPosition
        (gga, rmc) = try fields(location)
        #expect(gga[6] == "7" && rmc[12] == "M" && rmc[2] == "A")
        location.source.method = .network
        (gga, rmc) = try fields(location)
        #expect(gga[6] == "6" && rmc[12] == "E" && rmc[2] == "A")
        location.source.method = .replayed
        (gga, rmc) = try fields(location)
        #expect(gga[6] == "8" && rmc[12] == "S")
    }

    @Test(arguments: [(4.5, "4.5", "E"), (-4.5, "4.5", "W"), (355.5, "4.5", "W"), (-0.04, "0.0", "E")])
    func variationHasASide(variation: Double, text: String, side: String) throws {
        var location = try Sample.bare()
        location.magneticVariation = variation
        #expect(try fields(location).rmc[10...11] == [text, side])
    }

    @Test func courseThatRoundsToAFullCircleIsNorth() throws {
        var location = try Sample.bare()
        location.course = 359.996
        #expect(try fields(location).rmc[8] == "0.00")
    }
}
