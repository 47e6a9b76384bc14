import FoundationEssentials
@_spi(Programs) import LocationSession
import ProgramTestSupport
import Testing

/// The pauses of all clients are the same, and those that the documents name.
struct SessionNumbersTests {
    private static func text(_ path: String) throws -> String {
        let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        return text.split { $0.isWhitespace || $0 == "*" }.joined(separator: " ")
    }

    private static func number(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }

    @Test(arguments: [
        "docs/clients.md", "LocationKit/Sources/LocationKit/LocationKit.docc/Guarantees.md", "clients/python/README.md",
        "clients/c/include/locationd.h", "clients/c/man/locationd_watch.3",
    ])
    func documentNamesThePauses(path: String) throws {
        let (first, longest) = (Self.number(SessionPause.first), Self.number(SessionPause.longest))
        let sentence =
            "after pauses of \(first) seconds, doubling up to \(longest), each drawn at random between its half and the whole; "
            + "after a connection that had an answer the first pause is drawn between \(first) and \(Self.number(SessionPause.spread))"
        #expect(try Self.text(path).contains(sentence))
        let patience = Self.number(SessionPause.patience)
        #expect(try Self.text(path).contains("\(patience) seconds"))
    }

    @Test func otherLanguagesHaveTheSame() throws {
        let python = try Self.text("clients/python/src/locationd/session.py")
        #expect(python.contains("SHORTEST_DELAY = \(SessionPause.first)"))
        #expect(python.contains("LONGEST_DELAY = \(SessionPause.longest)"))
        let spread = Int(SessionPause.spread / SessionPause.first)
        #expect(python.contains("SPREAD = \(spread)"))
        #expect(
            try Self.text("clients/python/src/locationd/transport.py").contains("SILENCE = \(SessionPause.patience)"))
        let c = try Self.text("clients/c/src/session.c")
        #expect(c.contains(".first_delay = \(Int(1000 * SessionPause.first)) SESSION_MILLISECOND"))
        #expect(c.contains(".longest_delay = \(Int(1000 * SessionPause.longest)) SESSION_MILLISECOND"))
        #expect(c.contains(".spread = \(spread),"))
        #expect(c.contains(".silence = \(Int(1000 * SessionPause.patience)) SESSION_MILLISECOND"))
    }
}
