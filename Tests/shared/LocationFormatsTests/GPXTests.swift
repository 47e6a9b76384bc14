@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

struct GPXTests {
    /// The children of the GPX 1.1 schema's `wptType`, which is an `xsd:sequence`.
    private static let schemaOrder = [
        "ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link", "sym", "type", "fix", "sat",
        "hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid", "extensions",
    ]

    private func document(_ locations: [Location], longestGap: Double? = 30) -> String {
        var track = GPXTrack(longestGap: longestGap)
        var text = track.opening
        for location in locations { text += track.record(for: location) }
        return text + track.closing
    }

    private func point(_ location: Location) throws -> GPXReader.Element {
        try #require(try GPXReader.root(of: document([location]))["trk", "trkseg", "trkpt"].first)
    }

    /// How many points each segment has.
    private func segments(_ locations: [Location], longestGap: Double? = 30) throws -> [Int] {
        let root = try GPXReader.root(of: document(locations, longestGap: longestGap))
        return root["trk", "trkseg"].map { $0["trkpt"].count }
    }

    @Test func emptyTrackIsADocument() throws {
        let root = try GPXReader.root(of: document([]))
        #expect(root.name == "gpx")
        #expect(root.attributes["version"] == "1.1")
        #expect(root.attributes["creator"]?.isEmpty == false)
        #expect(root["trk", "trkseg"].count == 1)
    }

    @Test func pointSaysWhatIsKnown() throws {
        let point = try point(try Sample.full())
        #expect(point.attributes == ["lat": "52.5163", "lon": "13.3777"])
        let expected = [
            ("ele", "34.2"), ("time", "2026-03-01T12:00:00.250Z"), ("magvar", "4.5"), ("geoidheight", "39.5"),
            ("src", "gpsd /dev/ttyACM0"), ("fix", "dgps"), ("sat", "9"), ("hdop", "0.9"), ("vdop", "1.3"),
            ("pdop", "1.6"), ("extensions", ""),
        ]
        #expect(point.children.map(\.name) == expected.map(\.0))
        #expect(point.children.map(\.text) == expected.map(\.1))
    }

    @Test func extensionsAreNamespaced() throws {
        let extensions = try #require(try point(try Sample.full())["extensions"].first)
        let garmin = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"
        let speedAndCourse = try #require(extensions["\(garmin) TrackPointExtension"].first).children
        #expect(speedAndCourse.map(\.name) == ["\(garmin) speed", "\(garmin) course"])
        #expect(speedAndCourse.map(\.text) == ["5.25", "271.5"])
        let own = extensions.children.dropFirst()
        #expect(own.map(\.name).allSatisfy { $0.hasPrefix("urn:x-locationd:gpx ") })
        #expect(own.map(\.text) == ["2.5", "73.7", "4.25", "0.5", "3", "-0.125", "0.25", "dgps"])
    }

    @Test func absentIsLeftOut() throws {
        let point = try point(try Sample.bare(-0.0, -0.0))
        #expect(point.attributes == ["lat": "0", "lon": "0"])
        #expect(point.children.map(\.name) == ["src", "fix"])
    }

    @Test(arguments: Sample.absurdNumbers)
    func absurdNumbersKeepOrderAndRanges(number: Double) throws {
        let point = try point(try Sample.absurd(number))
        let places = try point.children.map { try #require(Self.schemaOrder.firstIndex(of: $0.name)) }
        #expect(places == places.sorted() && Set(places).count == places.count)
        #expect(point["time"].isEmpty && point["sat"].isEmpty)
        for element in point["magvar"] {
            #expect((0..<360).contains(try #require(Double(element.text))))
        }
        for element in point.children where ["ele", "hdop", "vdop", "pdop", "geoidheight"].contains(element.name) {
            // xsd:decimal knows digits, a sign and a point; a schema processor may stop at 18 digits.
            #expect(element.text.allSatisfy { "-.0123456789".contains($0) } && element.text.count <= 20)
            #expect(number.isFinite)
        }
    }

    @Test(arguments: [(-4.1, "355.9"), (359.999_999_999_99, "0"), (360, "0"), (-1e-20, "0"), (0.1 + 0.2, "0.3")])
    func directionsAreRoundedWithinTheCircle(degrees: Double, text: String) throws {
        var location = try Sample.bare()
        location.magneticVariation = degrees
        #expect(try point(location)["magvar"].map(\.text) == [text])
    }

    @Test(arguments: Sample.edges)
    func coordinatesStayInTheSchemasRange(latitude: Double, longitude: Double) throws {
        let attributes = try point(try Sample.bare(latitude, longitude)).attributes
        let written = try #require(Double(attributes["lon"] ?? ""))
        #expect(abs(written - (longitude < 179.999_999_999_5 ? longitude : -180)) < 1e-9)
        #expect((-180..<180).contains(written))
        #expect(abs(try #require(Double(attributes["lat"] ?? "")) - latitude) < 1e-9)
        #expect(attributes.values.allSatisfy { !$0.contains("e") })
    }

    @Test(arguments: [
        (FixMode.twoDimensional, Augmentation?.none, String?("2d")), (.threeDimensional, nil, "3d"),
        (.unknown, nil, nil), (.threeDimensional, .rtkFloat, "dgps"), (.threeDimensional, .rtkFixed, "dgps"),
        (.twoDimensional, .dgps, "dgps"), (.threeDimensional, .precise, "pps"),
        (.threeDimensional, .deadReckoning, nil),
        (.twoDimensional, .timeOnly, nil), (.threeDimensional, .gnssDeadReckoning, "3d"),
        (.threeDimensional, .unknown, "3d"),
    ])
    func fixIsOneOfTheSchemas(mode: FixMode, augmentation: Augmentation?, text: String?) throws {
        var location = try Sample.bare()
        location.mode = mode
        location.augmentation = augmentation
        #expect(try point(location)["fix"].first?.text == text)
    }

    @Test func textIsEscaped() throws {
        var location = try Sample.bare()
        location.source = SourceInformation(name: "<a>&\"'\r\n\t]]>é😀", device: "\u{0}\u{1B}\u{FFFE}\u{9B}")
        let source = try #require(try point(location)["src"].first?.text)
        #expect(
            Array(source.unicodeScalars) == Array("<a>&\"'\r\n\t]]>é😀 \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}".unicodeScalars))
    }

    @Test func gapBeginsASegment() throws {
        let locations = try [0, 30, 60.5, 61].map { try Sample.bare(1, 1, seconds: $0) }
        #expect(try segments(locations) == [2, 2])
        #expect(try segments(locations, longestGap: 31) == [4])
        #expect(try segments(locations, longestGap: nil) == [4])
    }

    @Test func clockThatStartsOverBeginsASegment() throws {
        let locations = try [100, 101, 5, 6].map { try Sample.bare(1, 1, seconds: $0) }
        #expect(try segments(locations, longestGap: nil) == [2, 2])
    }

    @Test func madeUpAndMeasuredDoNotShareASegment() throws {
        var simulated = try Sample.bare(1, 1)
        simulated.source.isSimulated = true
        let measured = try Sample.bare(1, 1)
        #expect(try segments([measured, simulated, simulated, measured]) == [1, 2, 1])
        let extensions = try point(simulated)["extensions", "urn:x-locationd:gpx isSimulated"]
        #expect(extensions.map(\.text) == ["true"])
    }
}
