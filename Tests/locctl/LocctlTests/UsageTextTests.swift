@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// What `locctl usage` writes.
struct UsageTextTests {
    private func lines(_ usage: [LocationUsage], ofAll: Bool = false) -> [String] {
        UsageText.lines(
            usage, ofAll: ofAll, process: { $0 == 7 ? "gpspipe" : nil }, user: { $0 == 1000 ? "alice" : nil })
    }

    @Test func emptyListSaysWhoseProgramsAreMeant() {
        #expect(lines([]) == ["No program of yours has received the position in the last 24 hours."])
        #expect(lines([], ofAll: true) == ["No program has received the position in the last 24 hours."])
    }

    @Test func programsHaveOneRowEachAndTheBeginningOfTheCountFollows() {
        var maps = LocationUsage(accuracy: .reduced)
        (maps.program, maps.service, maps.locations) = ("maps", "locationd-bridge.service", 90)
        maps.countedSince = UTCTime(seconds: 1_772_366_400)
        var nameless = LocationUsage(accuracy: .full)
        (nameless.pid, nameless.user) = (7, 1000)
        let text = lines([maps, nameless])
        #expect(text[0].split(separator: " ") == ["PROGRAM", "NOW", "LAST", "LOCATIONS", "ACCURACY", "BY"])
        #expect(text[1].split(separator: " ") == ["maps", "-", "-", "90", "reduced", "locationd-bridge.service"])
        #expect(text[2].hasPrefix("(process 7, gpspipe)  ") && text.count == 4)
        #expect(text[3].hasPrefix("LOCATIONS is counted since 2026-03-01 "))
        #expect(lines([nameless], ofAll: true)[1].contains("uid:1000 (alice)"))
        nameless.pid = nil
        #expect(lines([nameless])[1].hasPrefix("(says nothing of itself)"))
    }
}
