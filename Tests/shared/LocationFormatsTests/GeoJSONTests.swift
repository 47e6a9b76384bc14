import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

struct GeoJSONTests {
    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// A Feature's numbers, by the decoder that reads every digit.
    private struct Numbers: Decodable {
        struct Geometry: Decodable { var coordinates: [Double] }
        struct Properties: Decodable { var altitude: Double? }
        var geometry: Geometry
        var properties: Properties
    }

    private func numbers(_ text: String) throws -> Numbers {
        try JSONDecoder().decode(Numbers.self, from: Data(text.utf8))
    }

    private func part(_ name: String, of object: [String: Any]) throws -> [String: Any] {
        try #require(object[name] as? [String: Any])
    }

    @Test func featureIsWrittenByteByByte() throws {
        let expected =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3777,52.5163,73.7]},"properties":{"#
            + #""horizontalAccuracy":2.5,"altitude":34.2,"ellipsoidalAltitude":73.7,"verticalAccuracy":4.25,"#
            + #""speed":5.25,"speedAccuracy":0.5,"course":271.5,"courseAccuracy":3,"climb":-0.125,"#
            + #""climbAccuracy":0.25,"magneticVariation":4.5,"hdop":0.9,"vdop":1.3,"pdop":1.6,"#
            + #""mode":"threeDimensional","augmentation":"dgps","satellitesUsed":9,"#
            + #""timestamp":"2026-03-01T12:00:00.250Z","monotonicTime":100,"sequence":4711,"#
            + #""source":{"name":"gpsd","device":"/dev/ttyACM0","method":"gnss","isSimulated":false,"isReplayed":false}}}"#
            + "\n"
        let lines = GeoJSONLines()
        #expect(lines.opening + lines.record(for: try Sample.full()) + lines.closing == expected)
    }

    @Test func altitudeAboveSeaLevelIsNeverACoordinate() throws {
        var location = try Sample.bare(1, 2)
        location.altitude = 500
        let geometry = try part("geometry", of: object(GeoJSONLines().record(for: location)))
        #expect(geometry["coordinates"] as? [Double] == [2, 1])
    }

    @Test func absentIsLeftOut() throws {
        let feature = try object(GeoJSONLines().record(for: try Sample.bare()))
        let properties = try part("properties", of: feature)
        #expect(Set(properties.keys) == ["mode", "source"])
        #expect(try Set(part("source", of: properties).keys) == ["name", "method", "isSimulated", "isReplayed"])
    }

    @Test func propertiesHaveTheWiresNamesAndValues() throws {
        let location = try Sample.full()
        let feature = try object(GeoJSONLines().record(for: location))
        var written = try part("properties", of: feature)
        written["latitude"] = location.coordinate.latitude
        written["longitude"] = location.coordinate.longitude
        let wire = try JSONSerialization.jsonObject(with: JSONEncoder().encode(location)) as? NSDictionary
        #expect(NSDictionary(dictionary: written) == wire)
    }

    @Test(arguments: Sample.edges)
    func coordinatesReadBackTheSame(latitude: Double, longitude: Double) throws {
        let line = GeoJSONLines().record(for: try Sample.bare(latitude, longitude))
        #expect(try numbers(line).geometry.coordinates == [longitude, latitude])
        let coordinates = try #require(line.split(separator: "[").last?.prefix { $0 != "]" })
        #expect(!coordinates.contains("e"))
    }

    @Test(arguments: Sample.absurdNumbers)
    func absurdNumbersStayJSON(number: Double) throws {
        let line = GeoJSONLines().record(for: try Sample.absurd(number))
        #expect(try numbers(line).properties.altitude == (number.isFinite ? number : nil))
    }

    @Test func stringsAreEscapedAndStayOnOneLine() throws {
        var location = try Sample.bare()
        let name = "a\"b\\c/\n\r\n\t\u{0}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}é😀e\u{301}"
        location.source = SourceInformation(name: name, device: "\u{FEFF}\u{202E}\u{E0001}")
        let line = GeoJSONLines().record(for: location)
        let source = try part("source", of: part("properties", of: object(line)))
        #expect((source["name"] as? String).map { Array($0.unicodeScalars) } == Array(name.unicodeScalars))
        #expect(line.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnprintable })
        #expect(line.unicodeScalars.filter { CharacterSet.newlines.contains($0) }.count == 1)
    }

    @Test(arguments: 0...3)
    func collectionIsOneObject(count: Int) throws {
        var collection = GeoJSONCollection()
        var text = collection.opening
        for index in 0..<count {
            text += collection.record(for: try Sample.bare(Double(index)))
        }
        text += collection.closing
        let features = try #require(object(text)["features"] as? [[String: Any]])
        #expect(try object(text)["type"] as? String == "FeatureCollection")
        let latitudes = try features.map { try (part("geometry", of: $0)["coordinates"] as? [Double])?.last }
        #expect(latitudes == (0..<count).map(Double.init))
    }
}
