import Testing

@testable import ServiceKit

@Suite struct SpellingTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("port", "prot", 1), ("linger", "linger", 0),
        ("log_level", "log-level", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func distanceCountsChanges(_ first: String, _ second: String, _ distance: Int) {
        #expect(Spelling.distance(first, second) == distance)
        #expect(Spelling.distance(second, first) == distance)
    }

    @Test func onlyWhatIsNearIsSuggested() {
        #expect(Spelling.nearest(to: "clinets", among: ["clients", "linger"]) == "clients")
        #expect(Spelling.nearest(to: "colour", among: ["clients", "linger"]) == nil)
        #expect(Spelling.nearest(to: "x", among: []) == nil)
        #expect(
            Spelling.nearest(to: String(repeating: "a", count: 65), among: [String(repeating: "a", count: 64)]) == nil)
    }
}
