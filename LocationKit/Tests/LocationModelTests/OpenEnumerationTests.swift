import Foundation
@_spi(Programs) import LocationModel
import Testing

@Suite struct OpenEnumerationTests {
    @Test func namesOfALaterVersionAreUnknown() throws {
        #expect(try decode(Augmentation.self, #""quantum""#) == .unknown)
        #expect(try decode(AuthorizationStatus.self, #""authorizedOnTuesdays""#) == .unknown)
        #expect(try decode(AccuracyAuthorization.self, #""""#) == .unknown)
        #expect(try decode(FixMode.self, #""fourDimensional""#) == .unknown)
        #expect(try decode(SourceState.self, #""Tracking""#) == .unknown)
    }

    @Test func knownNamesAreThemselves() throws {
        #expect(try decode(Augmentation.self, #""rtkFixed""#) == .rtkFixed)
        #expect(try decode(AuthorizationStatus.self, #""authorizedWhenInUse""#) == .authorizedWhenInUse)
        #expect(try decode(AccuracyAuthorization.self, #""reduced""#) == .reduced)
        #expect(try decode(FixMode.self, #""threeDimensional""#) == .threeDimensional)
        #expect(try decode(SourceState.self, #""unavailable""#) == .unavailable)
    }

    @Test func isCodedByName() throws {
        let data = try JSONEncoder().encode(Augmentation.gnssDeadReckoning)
        #expect(String(decoding: data, as: UTF8.self) == #""gnssDeadReckoning""#)
    }

    @Test(arguments: ["1", "null", "[]", "true"])
    func whatIsNoNameIsAnError(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(FixMode.self, json) }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }
}
