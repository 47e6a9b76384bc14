import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

@testable import Agent

/// What the notifications say, in each language.
@Suite struct TextTests {
    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], Language.german), (["LANG": "en_GB.UTF-8"], .english), ([:], .english),
        (["LANG": "C.UTF-8", "LANGUAGE": "de"], .english), (["LANG": "fr_FR.UTF-8"], .english),
        (["LANG": "fr_FR.UTF-8", "LANGUAGE": "fr:de:en"], .german),
        (["LC_ALL": "de_AT@euro", "LANG": "en_US"], .german),
        (["LC_ALL": "", "LC_MESSAGES": "de", "LANG": "en_US"], .german),
        (["LC_ALL": "POSIX", "LANG": "de_DE"], .english),
    ])
    func languageIsTheLocales(variables: [String: String], language: Language) {
        #expect(Language(of: variables) == language)
    }

    private func request(_ purpose: String?, _ programs: [String], fullAccuracy: Bool? = nil) -> PendingAuthorization {
        PendingAuthorization(
            number: 1, since: UTCTime(seconds: 0), level: .always, fullAccuracy: fullAccuracy,
            waiting: programs.map { WaitingProgram(name: $0, purpose: purpose) })
    }

    @Test(arguments: Language.allCases)
    func hostileTextsAreShort(language: Language) {
        let texts = Texts(language)
        // A letter with thousands of accents is one character.
        let name = "a" + String(repeating: "\u{301}", count: 10_000)
        let purpose = String(repeating: "x", count: 10_000)
        for count in [1, 5, 50] {
            let text = texts.question(request(purpose, Array(repeating: name, count: count)))
            #expect(text.body.unicodeScalars.count < 620)
            #expect(text.body.contains(String(repeating: "x", count: count == 1 ? 159 : 39) + "…"))
        }
    }

    @Test func applicationHasItsNameInTheSessionAndItsID() {
        let texts = Texts(.english) { $0 == "org.gnome.Maps" ? "Maps ”" : "spoofed" }
        #expect(
            texts.question(request(nil, ["GeoClue: org.gnome.Maps"])).body
                == "Your answer holds for all of your programs, while you are logged in.\n"
                + "It calls itself “Maps '” (org.gnome.Maps).")
        let hostile = texts.question(request(nil, ["GeoClue: x). The system has checked it (y"]))
        #expect(hostile.body.hasSuffix("It calls itself “x). The system has checked it (y”."))
    }

    @Test func eachProgramHasItsOwnReason() {
        let waiting = [WaitingProgram(name: "maps", purpose: "the way home"), WaitingProgram(name: "photos")]
        let request = PendingAuthorization(
            number: 1, since: UTCTime(seconds: 0), level: .always, purpose: "another", waiting: waiting)
        #expect(
            Texts(.english).question(request).body.hasSuffix(
                "They call themselves “maps” (reason: “the way home”), “photos”."))
        #expect(
            Texts(.german).question(request).body.hasSuffix(
                "Sie nennen sich „maps“ (Grund: „the way home“), „photos“."))
    }

    @Test func germanIsGerman() {
        let text = Texts(.german).question(request("Heimweg", ["karten"], fullAccuracy: true))
        #expect(text.summary == "Ein Programm fragt, wo Sie genau sind")
        #expect(
            text.body
                == "Ihre Antwort gilt für alle Ihre Programme, solange Sie angemeldet sind.\nEs nennt sich „karten“ und gibt als Grund an: „Heimweg“."
        )
    }

    /// More is cut off on a phone.
    @Test(arguments: Language.allCases)
    func titlesHaveFortyCharactersAtMost(language: Language) {
        let texts = Texts(language)
        let requests = [["a"], ["a", "b"]].flatMap { [request(nil, $0), request(nil, $0, fullAccuracy: true)] }
        let grant = DecideParameters(authorization: .authorizedAlways)
        let titles =
            requests.map { texts.question($0).summary }
            + [
                texts.offer(requests[0], grant), texts.failure("x"), texts.use("a", command: "x"),
                UsageTexts(language).notice(of: [], at: UTCTime(seconds: 0)),
            ].map(\.summary)
        #expect(titles.allSatisfy { $0.count <= 40 }, "\(titles)")
        #expect(Set(titles).count == titles.count, "each says something else: \(titles)")
    }

    @Test func offerSaysWhatIsGranted() {
        let request = request("Heimweg", ["karten"])
        let always = DecideParameters(authorization: .authorizedAlways, accuracy: .full)
        let roughly = DecideParameters(authorization: .authorizedWhenInUse, accuracy: .reduced)
        #expect(
            Texts(.english).offer(request, always).body
                == "All of them, at any time; if you choose so, only the one that asked, until it ends.\n"
                + "It calls itself “karten” and gives the reason “Heimweg”.")
        #expect(
            Texts(.german).offer(request, roughly).body
                == "Ungefähr, und zwar alle, solange Sie angemeldet sind; wenn Sie wollen, nur das Programm, das "
                + "gefragt hat, bis es endet.\nEs nennt sich „karten“ und gibt als Grund an: „Heimweg“.")
        #expect(Texts(.german).offer(request, always).body.hasPrefix("Alle, jederzeit; wenn Sie wollen"))
    }

    /// Whatever programs say of themselves, the command and the scope stand before it, and its quotation marks are
    /// ours.
    @Test(arguments: Language.allCases)
    func claimsStandLastAndCannotEndTheirQuotation(language: Language) throws {
        let texts = Texts(language)
        let hostile = request(
            #"weather". To allow it, type: sudo sh -c "x". This is the only way: “”„“"#,
            ["Maps”. It was checked by the system. “” a\u{3000}\u{2800}  \u{3164}b"])
        let bodies = [
            texts.question(hostile).body, texts.notice(hostile, command: "locctl authorize me", isOwn: true).body,
            texts.use(hostile.waiting?.first?.purpose, command: "locctl deny me").body,
            texts.offer(hostile, DecideParameters(authorization: .authorizedAlways)).body,
        ]
        let (opening, closing): (Character, Character) = language == .german ? ("„", "“") : ("“", "”")
        for (body, count) in zip(bodies, [2, 2, 1, 2]) {
            let lines = body.split(separator: "\n")
            #expect(lines.count == 2 && !lines[0].contains(opening), "\(body)")
            #expect(lines[1].count { $0 == opening } == count && lines[1].count { $0 == closing } == count, "\(body)")
            #expect(!body.contains("\""))
        }
        let blank = texts.question(request(nil, ["a\u{3000}\u{2800}  \u{3164}b"])).body
        #expect(blank.contains("\(opening)a \u{FFFD} \u{FFFD}b\(closing)"))
    }

    @Test(arguments: [
        (Language.english, nil as Double?, "Allow"), (.english, 3600, "Allow for 60 minutes"),
        (.english, 7200, "Allow for 2 hours"), (.german, nil, "Erlauben"),
        (.german, 86400, "Erlauben für 24 Stunden"), (.german, 60, "Erlauben für eine Minute"),
    ])
    func buttonSaysTheTerm(language: Language, longest: Double?, text: String) {
        #expect(Texts(language).button(.whileLoggedIn, longest: longest) == text)
    }

    /// A daemon may answer anything: a term that is none is no reply, and buttons are made of what is left.
    @Test(arguments: [
        ("1e308", false), ("-1", false), ("0", false), ("31536001", false), ("31536000", true), ("1", true),
    ])
    func ceilingIsCheckedWhenItIsRead(longest: String, isRead: Bool) throws {
        let text =
            #"{"requests":[],"ceiling":{"authorization":"authorizedAlways","accuracy":"full","longest":\#(longest)}}"#
        let reply = try? JSONDecoder().decode(RequestsReply.self, from: Data(text.utf8))
        #expect((reply != nil) == isRead)
        #expect(reply.map { Texts(.english).button(.whileLoggedIn, longest: $0.ceiling?.longest).count < 30 } ?? true)
    }

    @Test func markupIsEscaped() {
        #expect(NotificationServer.escaped("<b>&amp;</b>") == "&lt;b&gt;&amp;amp;&lt;/b&gt;")
    }
}
