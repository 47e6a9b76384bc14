import LocationModel
import Testing
import WebService

/// Links that open once, and sessions, at moments that the tests give.
@Suite final class WebSessionsTests {
    private typealias Principal = WebSessions.Principal

    private let anna = Principal(uid: 1000, isAdministrator: false)
    private let root = Principal(uid: 0, isAdministrator: true)
    private var sessions = WebSessions()

    private func at(_ seconds: Double) -> BootInstant { BootInstant(seconds: 1000 + seconds) }

    private func open(_ token: String, as id: String, browser: UInt32?, at moment: BootInstant) -> Bool {
        sessions.open(token, as: id, browser: browser, at: moment)
    }

    private func use(_ id: String, browser: UInt32?, at moment: BootInstant) -> WebSessions.Session? {
        sessions.use(id, browser: browser, at: moment)
    }

    @Test func linkOpensOnce() {
        sessions.addLink("link", for: root, at: at(0))
        #expect(open("link", as: "first", browser: 1000, at: at(1)))
        #expect(!open("link", as: "second", browser: 1000, at: at(1)))
        #expect(use("first", browser: 1000, at: at(2))?.principal == root)
        #expect(use("second", browser: 1000, at: at(2)) == nil)
    }

    @Test(arguments: ["", "LINK", "link ", "lin", "first"])
    func otherTokensOpenNothing(token: String) {
        sessions.addLink("link", for: anna, at: at(0))
        #expect(open("link", as: "first", browser: nil, at: at(0)))
        sessions.addLink("link", for: anna, at: at(0))
        #expect(!open(token, as: "second", browser: nil, at: at(1)))
        #expect(use("second", browser: nil, at: at(1)) == nil)
        #expect(open("link", as: "second", browser: nil, at: at(1)), "a guess has used the link up")
    }

    @Test(arguments: [(59.9, true), (60, false), (3600, false)])
    func linkExpires(age: Double, opens: Bool) {
        sessions.addLink("link", for: anna, at: at(0))
        #expect(open("link", as: "session", browser: nil, at: at(age)) == opens)
        #expect(!open("link", as: "session", browser: nil, at: at(1)), "an expired link is gone")
    }

    @Test(arguments: [
        (1000, 1000, true), (1000, 1001, false), (1000, nil, false), (nil, 1000, false), (nil, nil, true),
    ])
    func sessionIsOneUsersBrowsers(opener: UInt32?, user: UInt32?, works: Bool) {
        sessions.addLink("link", for: root, at: at(0))
        #expect(open("link", as: "session", browser: opener, at: at(0)))
        #expect((use("session", browser: user, at: at(1)) != nil) == works)
        #expect(use("session", browser: opener, at: at(2)) != nil, "a stranger has not ended it")
    }

    @Test func sessionExpiresTwelveHoursAfterItsLastUse() {
        let hour = 3600.0
        sessions.addLink("link", for: anna, at: at(0))
        #expect(open("link", as: "session", browser: nil, at: at(0)))
        #expect(use("session", browser: nil, at: at(11 * hour)) != nil)
        #expect(use("session", browser: nil, at: at(22 * hour)) != nil)
        #expect(use("session", browser: 7, at: at(33 * hour)) == nil, "a stranger's attempt is no use")
        #expect(use("session", browser: nil, at: at(34 * hour)) == nil)
        #expect(use("session", browser: nil, at: at(1)) == nil, "an expired session is gone")
    }

    @Test func endedSessionIsGoneAlone() {
        for name in ["a", "b"] {
            sessions.addLink(name, for: anna, at: at(0))
            #expect(open(name, as: name, browser: nil, at: at(0)))
        }
        sessions.end("a")
        #expect(use("a", browser: nil, at: at(1)) == nil)
        #expect(use("b", browser: nil, at: at(1)) != nil)
    }

    /// Who has more links than the limit loses the oldest, and takes none of others.
    @Test func linksOfOneUserAreLimited() {
        sessions.addLink("root", for: root, at: at(0))
        for number in 0...WebSessions.limitPerUser {
            sessions.addLink("\(number)", for: anna, at: at(1 + Double(number) / 1000))
        }
        #expect(!open("0", as: "session", browser: nil, at: at(2)))
        #expect(open("1", as: "session", browser: nil, at: at(2)))
        #expect(open("\(WebSessions.limitPerUser)", as: "session", browser: nil, at: at(2)))
        #expect(open("root", as: "session", browser: nil, at: at(2)))
    }

    /// The session that was used least recently goes first.
    @Test func sessionsOfOneUserAreLimited() {
        func begin(_ name: String, _ principal: Principal, at moment: BootInstant) {
            sessions.addLink(name, for: principal, at: moment)
            #expect(open(name, as: name, browser: nil, at: moment))
        }
        begin("root", root, at: at(0))
        for number in 0..<WebSessions.limitPerUser { begin("\(number)", anna, at: at(Double(number))) }
        #expect(use("0", browser: nil, at: at(100)) != nil)
        begin("more", anna, at: at(101))
        #expect(use("1", browser: nil, at: at(102)) == nil)
        for name in ["0", "2", "more", "root"] { #expect(use(name, browser: nil, at: at(102)) != nil) }
    }
}
