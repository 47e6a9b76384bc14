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
}
