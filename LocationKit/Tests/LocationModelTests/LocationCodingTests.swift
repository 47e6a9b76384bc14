import Foundation
@_spi(Programs) import LocationModel
import Testing

@Suite struct LocationCodingTests {
    /// The names of the interface definition, without `age`, which is known only at sending.
    private static let wireNames: Set<String> = [
        "latitude", "longitude", "horizontalAccuracy", "altitude", "ellipsoidalAltitude", "verticalAccuracy", "speed",
        "speedAccuracy", "course", "courseAccuracy", "climb", "climbAccuracy", "magneticVariation", "mode",
        "augmentation", "satellitesUsed", "hdop", "vdop", "pdop", "timestamp", "monotonicTime", "sequence", "source",
        "antenna", "jamming", "accuracyBasis", "errorEllipse", "geoidSeparation", "timestampImplausible", "implausible",
        "basis",
    ]

    @Test func everyFieldSurvives() throws {
        let location = try Location.full()
        let decoded = try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(location))
        #expect(decoded == location)
    }

    @Test func fieldsHaveTheNamesOfTheWire() throws {
        let object = try object(of: .full())
        #expect(Set(object.keys) == Self.wireNames)
        for (index, field) in Location.numbers.enumerated() {
            #expect(object[field.name] as? Double == 1.5 + Double(index), "\(field.name)")
        }
        #expect(object["latitude"] as? Double == -33.5)
        #expect(object["longitude"] as? Double == 151.25)
        #expect(object["mode"] as? String == "threeDimensional")
        #expect(object["augmentation"] as? String == "rtkFloat")
        #expect(object["satellitesUsed"] as? Int == 11)
        #expect(object["timestamp"] as? String == "2026-03-01T12:00:00.250Z")
        #expect(object["monotonicTime"] as? Double == 1000)
        #expect(object["sequence"] as? Int == 42)
        let source = try #require(object["source"] as? [String: Any])
        #expect(Set(source.keys) == ["name", "device", "method", "isSimulated", "isReplayed"])
    }

    @Test func absentFieldsAreLeftOut() throws {
        let location = try Location.bare()
        let names: Set = ["latitude", "longitude", "mode", "monotonicTime", "sequence", "source"]
        #expect(try Set(object(of: location).keys) == names)
        #expect(try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(location)) == location)
    }

    @Test func positionAloneIsEnough() throws {
        let location = try decode(#"{"latitude":1.5,"longitude":-2.5}"#)
        #expect(location.coordinate == Coordinate(latitude: 1.5, longitude: -2.5))
        #expect(location.mode == .twoDimensional)
        #expect(location.monotonicTime == BootInstant(nanoseconds: 0))
        #expect(location.sequence == 0)
        #expect(location.source == SourceInformation(name: "unknown", method: .unknown))
        #expect(location.timestamp == nil)
        for field in Location.numbers { #expect(location[keyPath: field.path] == nil, "\(field.name)") }
    }

    @Test func nullIsAbsentAndNewFieldsAreIgnored() throws {
        let location = try decode(
            #"{"latitude":1,"longitude":2,"speed":null,"timestamp":null,"age":0.5,"novelty":[1]}"#)
        #expect(location.speed == nil)
        #expect(location.timestamp == nil)
    }

    @Test func namesOfALaterVersionAreUnknown() throws {
        let location = try decode(#"{"latitude":1,"longitude":2,"mode":"fourDimensional","augmentation":"quantum"}"#)
        #expect(location.mode == .unknown)
        #expect(location.augmentation == .unknown)
    }

    @Test(arguments: [
        "{}", #"{"latitude":1}"#, #"{"latitude":91,"longitude":2}"#, #"{"latitude":1,"longitude":2,"speed":"fast"}"#,
        #"{"latitude":1,"longitude":2,"timestamp":"noon"}"#, #"{"latitude":1,"longitude":2,"satellitesUsed":1.5}"#,
        #"{"latitude":1,"longitude":2,"source":{}}"#,
    ])
    func wrongFieldsAreErrors(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    private func decode(_ json: String) throws -> Location {
        try JSONDecoder().decode(Location.self, from: Data(json.utf8))
    }

    private func object(of location: Location) throws -> [String: Any] {
        let data = try JSONEncoder().encode(location)
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
