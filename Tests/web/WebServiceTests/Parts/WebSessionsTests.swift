@_spi(Programs) import LocationModel
import Testing
import WebService

/// Links that open once, and sessions, at moments that the tests give.
@Suite final class WebSessionsTests {
    private typealias Principal = WebSessions.Principal
    typealias Browser = WebSessions.Browser

    private let anna = Principal(uid: 1000, isAdministrator: false)
    private let root = Principal(uid: 0, isAdministrator: true)
    private var sessions = WebSessions()

    private func at(_ seconds: Double) -> BootInstant { BootInstant(seconds: 1000 + seconds) }

    /// A link for the browser of user 1000.
    private func addLink(_ token: String, for principal: Principal, at moment: BootInstant) {
        sessions.addLink(token, for: principal, opener: .user(1000), at: moment)
    }

    private func open(_ token: String, as id: String, browser: Browser = .user(1000), at moment: BootInstant) -> Bool {
        sessions.open(token, as: id, browser: browser, at: moment)
    }

    private func use(_ id: String, browser: Browser = .user(1000), at moment: BootInstant) -> WebSessions.Session? {
        sessions.use(id, browser: browser, at: moment)
    }

    @Test func linkOpensOnce() {
        addLink("link", for: root, at: at(0))
        #expect(open("link", as: "first", at: at(1)))
        #expect(!open("link", as: "second", at: at(1)))
        #expect(use("first", at: at(2))?.principal == root)
        #expect(use("second", at: at(2)) == nil)
    }

    @Test(arguments: ["", "LINK", "link ", "lin", "first"])
    func otherTokensOpenNothing(token: String) {
        addLink("link", for: anna, at: at(0))
        #expect(open("link", as: "first", at: at(0)))
        addLink("link", for: anna, at: at(0))
        #expect(!open(token, as: "second", at: at(1)))
        #expect(use("second", at: at(1)) == nil)
        #expect(open("link", as: "second", at: at(1)), "a guess has used the link up")
    }

    @Test(arguments: [(59.9, true), (60, false), (3600, false)])
    func linkExpires(age: Double, opens: Bool) {
        addLink("link", for: anna, at: at(0))
        #expect(open("link", as: "session", at: at(age)) == opens)
        #expect(!open("link", as: "session", at: at(1)), "an expired link is gone")
    }

    /// For another browser there is no such link, and it is there for its own afterwards.
    @Test(arguments: [Browser.user(1000), .user(0), .behindProxy, .unknown])
    func linkOpensForOneBrowserAlone(opener: Browser) {
        sessions.addLink("link", for: root, opener: opener, at: at(0))
        for other in [Browser.user(1000), .user(0), .user(1001), .behindProxy, .unknown] where other != opener {
            #expect(sessions.principal(ofLink: "link", for: other, at: at(1)) == nil, "\(other)")
            #expect(!open("link", as: "stolen", browser: other, at: at(1)), "\(other)")
            #expect(use("stolen", browser: other, at: at(1)) == nil, "\(other)")
        }
        // Nobody is known to be the one whom the kernel does not know.
        let isSomebody = opener != .unknown
        #expect((sessions.principal(ofLink: "link", for: opener, at: at(2)) == root) == isSomebody)
        #expect(open("link", as: "session", browser: opener, at: at(2)) == isSomebody)
    }

    @Test(arguments: [Browser.user(1000), .behindProxy])
    func sessionIsOneBrowsers(opener: Browser) {
        sessions.addLink("link", for: root, opener: opener, at: at(0))
        #expect(open("link", as: "session", browser: opener, at: at(0)))
        for other in [Browser.user(1000), .user(0), .behindProxy, .unknown] where other != opener {
            #expect(use("session", browser: other, at: at(1)) == nil, "\(other)")
        }
        #expect(use("session", browser: opener, at: at(2)) != nil, "a stranger has ended it")
    }

    @Test func lookingAtALinkDoesNotOpenIt() {
        addLink("link", for: anna, at: at(0))
        #expect(sessions.principal(ofLink: "link", for: .user(1000), at: at(59)) == anna)
        #expect(sessions.principal(ofLink: "link", for: .user(1000), at: at(60)) == nil)
        #expect(sessions.principal(ofLink: "other", for: .user(1000), at: at(1)) == nil)
        #expect(open("link", as: "session", at: at(59)))
        #expect(sessions.principal(ofLink: "link", for: .user(1000), at: at(59)) == nil)
    }

    /// The daemon's token is good for twelve hours, whether it is used or not.
    @Test func sessionWithATokenExpiresTwelveHoursAfterItsBeginning() {
        let hour = 3600.0
        let administrator = Principal(uid: 1000, isAdministrator: true, token: "token")
        addLink("link", for: administrator, at: at(0))
        #expect(open("link", as: "session", at: at(0)))
        #expect(use("session", at: at(11.9 * hour))?.principal.token == "token")
        #expect(use("session", at: at(12 * hour)) == nil)
        #expect(use("session", at: at(1)) == nil, "an expired session is gone")
    }

    @Test func sessionExpiresTwelveHoursAfterItsLastUse() {
        let hour = 3600.0
        addLink("link", for: anna, at: at(0))
        #expect(open("link", as: "session", at: at(0)))
        #expect(use("session", at: at(11 * hour)) != nil)
        #expect(use("session", at: at(22 * hour)) != nil)
        #expect(use("session", browser: .user(7), at: at(33 * hour)) == nil, "a stranger's attempt is no use")
        #expect(use("session", at: at(34 * hour)) == nil)
        #expect(use("session", at: at(1)) == nil, "an expired session is gone")
    }

    @Test func endedSessionIsGoneAlone() {
        for name in ["a", "b"] {
            addLink(name, for: anna, at: at(0))
            #expect(open(name, as: name, at: at(0)))
        }
        sessions.end("a")
        #expect(use("a", at: at(1)) == nil)
        #expect(use("b", at: at(1)) != nil)
    }

    /// Who has more links than the limit loses the oldest, and takes none of others.
    @Test func linksOfOneUserAreLimited() {
        addLink("root", for: root, at: at(0))
        for number in 0...WebSessions.limitPerUser {
            addLink("\(number)", for: anna, at: at(1 + Double(number) / 1000))
        }
        #expect(!open("0", as: "session", at: at(2)))
        #expect(open("1", as: "session", at: at(2)))
        #expect(open("\(WebSessions.limitPerUser)", as: "session", at: at(2)))
        #expect(open("root", as: "session", at: at(2)))
    }

    /// The session that was used least recently goes first.
    @Test func sessionsOfOneUserAreLimited() {
        func begin(_ name: String, _ principal: Principal, at moment: BootInstant) {
            addLink(name, for: principal, at: moment)
            #expect(open(name, as: name, at: moment))
        }
        begin("root", root, at: at(0))
        for number in 0..<WebSessions.limitPerUser { begin("\(number)", anna, at: at(Double(number))) }
        #expect(use("0", at: at(100)) != nil)
        begin("more", anna, at: at(101))
        #expect(use("1", at: at(102)) == nil)
        for name in ["0", "2", "more", "root"] { #expect(use(name, at: at(102)) != nil) }
    }
}
