import ArgumentParser
import Testing

@testable import locctl

/// What `locctl authorize` says of the cost of a term.
struct AuthorizeCommandTests {
    private func note(_ options: String...) throws -> String? {
        try AuthorizeCommand.parse(["user:bob"] + options).note
    }

    @Test func whoGrantsATermOfFullAccuracyIsToldItsCost() throws {
        let words = "note: " + Text.costOfFullAccuracy
        #expect(try note("--full", "--for", "1h") == words)
        #expect(try note("--when-in-use", "--for", "30m") == words)
        #expect(try note("--reduced", "--for", "1h") == nil, "it is not full")
        #expect(try note("--full") == nil, "it does not end")
        #expect(AuthorizeCommand.helpMessage(columns: 10_000).contains(Text.costOfFullAccuracy))
    }
}
