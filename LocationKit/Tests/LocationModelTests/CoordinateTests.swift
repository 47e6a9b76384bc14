import Foundation
@_spi(Programs) import LocationModel
import Testing

@Suite struct CoordinateTests {
    @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 0), (-0.0, -0.0), (52.52, 13.405)])
    func limitsBelongToTheEarth(_ latitude: Double, _ longitude: Double) throws {
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(coordinate.latitude == latitude)
        #expect(coordinate.longitude == longitude)
    }

    @Test(
        arguments: [
            (90.0.nextUp, 0.0), ((-90.0).nextDown, 0), (0, 180.0.nextUp), (0, (-180.0).nextDown), (0, 360),
            (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity),
        ] as [(Double, Double)])
    func whatIsNotOnTheEarthIsNil(_ latitude: Double, _ longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }

    @Test func isCodedAsTwoNumbers() throws {
        let coordinate = try #require(Coordinate(latitude: -33.5, longitude: 151.25))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(coordinate)
        #expect(String(decoding: data, as: UTF8.self) == #"{"latitude":-33.5,"longitude":151.25}"#)
        #expect(try JSONDecoder().decode(Coordinate.self, from: data) == coordinate)
    }

    @Test(arguments: [
        (#"{"latitude":90.1,"longitude":0}"#, "latitude"),
        (#"{"latitude":0,"longitude":-180.5}"#, "longitude"),
        (#"{"latitude":-91,"longitude":181}"#, "latitude"),
    ])
    func errorNamesTheNumberOutOfRange(_ json: String, _ key: String) {
        #expect {
            try JSONDecoder().decode(Coordinate.self, from: Data(json.utf8))
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == [key] && context.debugDescription.contains("-90...90")
        }
    }

    @Test(arguments: [#"{"latitude":1}"#, #"{"longitude":1}"#, #"{"latitude":"1","longitude":1}"#, "[1,2]"])
    func otherCodesAreErrors(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Coordinate.self, from: Data(json.utf8)) }
    }
}
