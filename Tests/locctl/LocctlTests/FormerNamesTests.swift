import Testing

@testable import locctl

/// Commands of an earlier release do what they did, and say how they are called now.
@Suite struct FormerNamesTests {
    @Test(arguments: [
        ("history", "audit", "locctl audit"),
        ("history --limit 5 --principal uid:1", "audit --limit 5 --principal uid:1", "locctl audit"),
        ("--socket /x --json history", "--socket /x --json audit", "locctl audit"),
        ("--socket=/x history track", "--socket=/x track status", "locctl track status"),
        ("history track --file t", "track status --file t", "locctl track status"),
        ("history --json pause", "track pause --json", "locctl track pause"),
        ("history resume", "track resume", "locctl track resume"),
        ("help history", "help audit", "locctl audit"),
        ("authorizations --history --json", "authorizations --audit --json", "locctl authorizations --audit"),
    ])
    func formerNameIsReplaced(line: String, present: String, told: String) {
        let (words, advice) = FormerNames.replaced(in: line.split(separator: " ").map(String.init))
        #expect(words == present.split(separator: " ").map(String.init))
        #expect(advice?.contains("`\(told)`") == true, "\(advice ?? "")")
    }

    @Test(arguments: [
        "", "--json", "--socket", "audit", "track --trip 1", "authorizations", "place history", "status --history",
    ])
    func otherLinesStay(line: String) {
        let words = line.split(separator: " ").map(String.init)
        let (same, advice) = FormerNames.replaced(in: words)
        #expect(same == words && advice == nil)
    }
}
