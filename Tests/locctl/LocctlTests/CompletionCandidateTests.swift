import Testing

@testable import locctl

/// The candidates of shell completion for names that the daemon knows.
struct CompletionCandidateTests {
    @Test(arguments: ["home", "uid:1000", "user:max.mustermann", "unit:foo@bar.service", "_x", "a/b,c+d", "7"])
    func harmlessWordsAreOffered(_ word: String) {
        #expect(CompletionCandidate.isSafe(word))
    }

    @Test(arguments: [
        "", "$(id)", "`id`", "a b", "a\nb", "a\tb", "-rf", "--json", ".hidden", "~root", "*", "a?", "[a]", "{a,b}",
        "!1", "a;b",
        "a|b", "a&b", "a>b", "<a", "(a)", "'a", "\"a", "a\\b", "#a", "%1", "=ls", "a=b", "é", "a\u{202e}b", "\u{1b}[0m",
        "^a",
        String(repeating: "a", count: 257),
    ])
    func whatAShellMightObeyIsNot(_ word: String) {
        #expect(!CompletionCandidate.isSafe(word))
    }
}
