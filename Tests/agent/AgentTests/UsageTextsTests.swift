@_spi(Programs) import LocationModel
import Testing

@testable import Agent

/// What the notification says of the programs that use the position.
@Suite struct UsageTextsTests {
    private static let now = UTCTime(seconds: 1_772_366_400)

    private func usage(_ program: String?, since: Int64? = nil, last: Int64 = 0, locations: Int = 2) -> LocationUsage {
        var usage = LocationUsage(accuracy: .full)
        usage.program = program
        usage.since = since.map { UTCTime(seconds: Self.now.seconds - $0) }
        usage.last = UTCTime(seconds: Self.now.seconds - last)
        usage.locations = locations
        return usage
    }

    private func body(_ usage: [LocationUsage], _ language: Language = .english) -> String {
        UsageTexts(language).notice(of: usage, at: Self.now) { $0 == 7 ? "gpspipe" : nil }.body
    }

    @Test func nothingIsSaidAsSuch() {
        #expect(body([]) == "None of your programs has received the position of this device in the last 24 hours.")
        #expect(body([], .german).hasPrefix("Keines Ihrer Programme"))
    }

    @Test func programsAreListedWithWhenHowExactlyAndHowOften() {
        var rough = usage("weather", last: 7199, locations: 1)
        rough.accuracy = .reduced
        rough.countedSince = UTCTime(seconds: Self.now.seconds - 3600)
        var first = usage("maps", since: 60, locations: 90)
        first.countedSince = rough.countedSince
        #expect(
            body([first, rough]) == """
                “maps”: now, exactly, 90 locations
                “weather”: 1 hour ago, roughly, 1 location
                Counted since the service started 1 hour ago.
                """)
        #expect(
            body([first, rough], .german) == """
                „maps“: jetzt, genau, 90 Standorte
                „weather“: vor 1 Stunde, ungefähr, 1 Standort
                Gezählt wird seit dem Start des Dienstes vor 1 Stunde.
                """)
    }

    @Test(arguments: [(59, "just now"), (60, "1 minute ago"), (3599, "59 minutes ago"), (7200, "2 hours ago")])
    func timeIsInItsUnit(seconds: Int64, words: String) {
        #expect(body([usage("maps", last: seconds)]) == "“maps”: \(words), exactly, 2 locations")
    }

    @Test func programWithoutANameHasThatOfItsProcess() {
        var (known, unknown) = (usage(nil), usage(nil))
        (known.pid, unknown.pid) = (7, 8)
        #expect(body([known]).hasPrefix("“gpspipe”: ") && body([unknown]).hasPrefix("A program without a name: "))
    }

    @Test func hostileNameIsShortAndCannotEndItsQuotation() {
        let text = body([usage("a” now “" + String(repeating: "x", count: 10_000))])
        #expect(text.hasPrefix("“a' now 'xxx") && text.unicodeScalars.count < 100)
    }

    @Test func programsBeyondTheLimitAreCounted() {
        let all = (1...UsageTexts.limit).map { usage("\($0)") }
        #expect(body(all).split(separator: "\n").count == UsageTexts.limit)
        #expect(body(all + all).hasSuffix("\nAnd \(UsageTexts.limit) more: `locctl usage` lists all."))
    }
}
