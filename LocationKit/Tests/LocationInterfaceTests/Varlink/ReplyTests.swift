import Testing
import Varlink

@Suite struct ReplyTests {
    private struct Read: Codable, Equatable { var value: Int? }

    private func reply(_ json: String) throws -> Reply { try Reply(Array(json.utf8)) }

    @Test func flagsAndErrorAreRead() throws {
        let ordinary = try reply(#"{"parameters":{"value":1}}"#)
        #expect(ordinary.error == nil)
        #expect(!ordinary.continues)
        #expect(try ordinary.parameters() == Read(value: 1))
        #expect(try reply(#"{"continues":true,"parameters":{}}"#).continues)
        #expect(try reply(#"{"continues":false}"#).continues == false)
        let failed = try reply(#"{"error":"a.b.Odd","parameters":{"value":2}}"#)
        #expect(failed.error == "a.b.Odd")
        #expect(try failed.parameters() == Read(value: 2))
    }

    @Test(arguments: ["{}", #"{"parameters":null}"#, #"{"parameters":{}}"#, #"{"parameters":{"novelty":1},"later":2}"#])
    func missingParametersAreNone(_ json: String) throws {
        #expect(try reply(json).parameters() == Read())
    }

    @Test(arguments: ["", "[]", "7", #"{"error":7}"#, #"{"continues":"yes"}"#, "{", "{}x"])
    func whatIsNoReplyThrows(_ json: String) {
        #expect(throws: DecodingError.self) { try reply(json) }
    }

    @Test func parametersThatDoNotFitThrow() throws {
        let reply = try reply(#"{"parameters":{"value":"one"}}"#)
        #expect(throws: DecodingError.self) { try reply.parameters(as: Read.self) }
    }

    @Test func deepNestingDoesNotCrash() {
        let text = #"{"parameters":"# + String(repeating: "[", count: 100_000)
        #expect(throws: DecodingError.self) { try reply(text) }
    }

    /// A reply with so many values, each with so many digits.
    private func text(values: Int, digits: Int) -> String {
        let value = "," + String(repeating: "1", count: digits)
        // The first is in the list, which is in an object, which is in another.
        return #"{"later":{"a":[0"# + String(repeating: value, count: values - 3) + "]}}"
    }

    @Test func valuesAreLimitedByTheLength() throws {
        // Two bytes for each value: the most is 24,576 + (2 most + 13) / 16.
        let most = 28_087
        #expect(text(values: most, digits: 1).utf8.count / 16 + 24_576 == most)
        _ = try reply(text(values: most, digits: 1))
        #expect(throws: DecodingError.self) { try reply(text(values: most + 1, digits: 1)) }
        // Where each has 16 bytes there may be as many as there is room for.
        _ = try reply(text(values: 200_000, digits: 15))
    }
}
