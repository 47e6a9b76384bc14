import ProgramTestSupport
import Testing
import WebService

/// Who may see what: links, cookies, the end of a session.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SessionRequestTests {
    @Test func linkOpensOnceAndTheCookieIsNoScripts() async throws {
        try await WebBench.run { bench in
            let link = try await bench.link()
            let opened = try await bench.request("GET", link)
            #expect(opened.status == 303 && opened.header("location") == "/")
            let cookie = try #require(opened.header("set-cookie"))
            let parts = cookie.split(separator: "; ").map(String.init)
            #expect(parts.dropFirst() == ["Path=/", "HttpOnly", "SameSite=Strict"])
            #expect(parts[0].wholeMatch(of: /locationd-session=[0-9a-f]{64}/) != nil)
            #expect(!link.contains(parts[0].suffix(64)), "whoever has seen the link knows the session")
            let replayed = try await bench.request("GET", link)
            #expect(replayed.status == 403 && replayed.header("set-cookie") == nil)
            #expect(replayed.body == "<p>signed out</p>")
            let session = try await bench.request("GET", "/session", ["Cookie: \(parts[0])"])
            #expect(session.status == 200 && session.header("content-type") == "application/json")
            #expect(session.body.contains(#""isAdministrator":false"#) && session.body.contains(#""uid":61234"#))
        }
    }

    /// Whose browser it is, the kernel does not say: nobody's, so no link is for it, and no session of one with an
    /// owner.
    @Test func browserWithoutAnOwnerIsNobodys() async throws {
        try await WebBench.run { bench in
            func answer(_ path: String, _ headers: [String] = []) async throws -> HTTPReply {
                let connection = try HTTPConnection(port: bench.port, isNameless: true)
                try await connection.send(bench.text("GET", path, headers))
                return try await connection.reply()
            }
            let link = try await bench.link()
            let refused = try await answer(link)
            #expect(refused.status == 403 && refused.header("set-cookie") == nil)
            let opened = try await bench.request("GET", link)
            #expect(opened.status == 303, "who has no name has used the link up")
            let cookie = try #require(opened.header("set-cookie")?.split(separator: ";").first)
            #expect(try await answer("/session", ["Cookie: \(cookie)"]).status == 401)
        }
    }

    @Test func tokensDiffer() async throws {
        try await WebBench.run { bench in
            var links: Set<String> = []
            for _ in 0..<20 { links.insert(try await bench.link()) }
            #expect(links.count == 20)
            #expect(links.allSatisfy { $0.wholeMatch(of: /\/open\?token=[0-9a-f]{64}/) != nil })
        }
    }

    @Test(arguments: [
        "/open", "/open?token", "/open?token=", "/open?token=0", "/open?TOKEN=0", "/open?token=%00",
        "/open?token=../..",
    ])
    func otherTokensOpenNothing(path: String) async throws {
        try await WebBench.run { bench in
            let reply = try await bench.request("GET", path)
            #expect(reply.status == 403 && reply.header("set-cookie") == nil && reply.body == "<p>signed out</p>")
        }
    }

    @Test(arguments: [
        nil, "locationd-session=", "locationd-session=0", "locationd-session=\(String(repeating: "0", count: 64))",
    ])
    func withoutASessionNothingButFilesIsSent(cookie: String?) async throws {
        try await WebBench.run { bench in
            let cookies = cookie.map { ["Cookie: \($0)"] } ?? []
            let page = try await bench.request("GET", "/", cookies)
            #expect(page.status == 403 && page.body == "<p>signed out</p>")
            for path in ["/session", "/live", "/track.gpx", "/track.gpx?trip=1", "/tiles/a/0/0/0", "/other"] {
                let reply = try await bench.request("GET", path, cookies)
                #expect(reply.status == 401 && reply.body.contains("locctl web"), "\(path)")
            }
            let own = bench.ownHeaders(cookies.first ?? "X-Nothing: 1")
            for path in ["/call/org.locationd.location.GetStatus", "/sign-out", "/open", "/", "/regions"] {
                #expect([401, 403].contains(try await bench.request("POST", path, own, body: "{}").status), "\(path)")
            }
            #expect(try await bench.request("GET", "/app.js", cookies).body == "script")
        }
    }

    @Test func signingOutEndsThatSessionAlone() async throws {
        try await WebBench.run { bench in
            let (first, second) = (try await bench.signIn(), try await bench.signIn())
            #expect(try await bench.request("POST", "/sign-out", bench.ownHeaders(first)).status == 204)
            #expect(try await bench.request("GET", "/session", [first]).status == 401)
            #expect(try await bench.request("GET", "/session", [second]).status == 200)
        }
    }

    /// A stream that is open goes on no longer than its session.
    @Test func signingOutClosesTheSessionsPages() async throws {
        try await WebBench.run { bench in
            let (first, second) = (try await bench.signIn(), try await bench.signIn())
            let closed = try LiveConnection(bench.connect())
            let kept = try LiveConnection(bench.connect())
            try await closed.open(bench, first)
            try await kept.open(bench, second)
            #expect(try await bench.request("POST", "/sign-out", bench.ownHeaders(first)).status == 204)
            try await eventually("its page is closed") { closed.connection.isClosed }
            #expect(!kept.connection.isClosed)
        }
    }

    /// The kernel says whose connection it is.
    @Test(.enabled(if: OtherUser.canBeBecome)) func anotherUsersConnectionCannotUseTheSession() async throws {
        try await WebBench.run { bench in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let stolen = try await OtherUserRequest.answer(
                bench.text("GET", "/session", [cookie, "Connection: close"]), at: bench.port)
            #expect(stolen.hasPrefix("HTTP/1.1 401 "))
            #expect(try await bench.request("GET", "/session", [cookie]).status == 200)
        }
    }

    /// Cookies know no ports: any other service of this address may set some of the same name, of a longer path, which
    /// are sent first.
    @Test func oneOfSeveralCookiesIsTheSession() async throws {
        try await WebBench.run { bench in
            let own = String(try await bench.signIn().dropFirst("Cookie: ".count))
            let other = "locationd-session=\(String(repeating: "0", count: 64))"
            let many = Array(repeating: other, count: 80).joined(separator: "; ")
            for cookies in [
                ["\(other); \(own)"], ["\(own); \(other)"], [other, own], ["locationd-session=; \(own)"],
                ["\(many); \(own)"],
            ] {
                let headers = cookies.map { "Cookie: \($0)" }
                #expect(try await bench.request("GET", "/session", headers).status == 200, "\(headers)")
            }
            #expect(try await bench.request("GET", "/session", ["Cookie: \(other); \(other)"]).status == 401)
        }
    }

    /// What looks at a link before a person does, as programs that show where it leads, does not use it up.
    @Test func headDoesNotOpenALink() async throws {
        try await WebBench.run { bench in
            let link = try await bench.link()
            let seen = try await bench.request("HEAD", link)
            #expect(seen.status == 403 && seen.header("set-cookie") == nil)
            #expect(try await bench.request("GET", link).status == 303)
        }
    }

    @Test func answersForbidWhatPagesDoNotNeed() async throws {
        var settings = WebSettings.unconnected
        settings.tiles = .init(url: "https://{s}.tiles.example.org/{z}/{x}/{y}.png", attribution: "the makers")
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            for (path, cookies) in [
                ("/", [cookie]), ("/", []), ("/app.js", []), ("/session", [cookie]), ("/session", []),
            ] {
                let reply = try await bench.request("GET", path, cookies)
                let policy = try #require(reply.header("content-security-policy"))
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
                #expect(policy.contains("img-src 'self' data: https://*.tiles.example.org; connect-src 'self'"))
                #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
                #expect(reply.header("x-content-type-options") == "nosniff")
                #expect(reply.header("referrer-policy") == "no-referrer", "a token may not leave by the Referer")
                #expect(reply.header("cross-origin-resource-policy") == "same-origin")
                #expect(reply.header("cache-control") == (reply.header("etag") == nil ? "no-store" : "no-cache"))
                #expect(reply.header("access-control-allow-origin") == nil)
            }
            #expect(try await bench.request("GET", "/session", [cookie]).body.contains(#""attribution":"the makers""#))
        }
    }

    /// What a page would ask for in vain is said at each reading of the session: a service may be installed while the
    /// page is open.
    @Test func sessionNamesTheServicesThatAreThere() async throws {
        let folder = try TemporaryFolder()
        var settings = WebSettings.unconnected
        (settings.history, settings.places) = (folder("history.sock"), folder("places.sock"))
        try await WebBench.run(settings) { bench in
            let cookie = try await bench.signIn()
            func names(_ member: String) async throws -> Bool {
                try await bench.request("GET", "/session", [cookie]).body.contains("\"\(member)\":true")
            }
            for (member, file) in [("hasHistory", "history.sock"), ("hasPlaces", "places.sock")] {
                #expect(try await !names(member))
                try folder.write("", to: file)
                #expect(try await names(member))
            }
            #expect(try await names("hasBorders"))
        }
    }
}
