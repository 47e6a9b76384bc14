import Glibc
import ProgramTestSupport
import Testing
import WebService

/// Links behind a proxy, where nobody knows whose browser it is.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProxyLinkTests {
    private static let settings: WebSettings = {
        var settings = WebSettings.unconnected
        settings.hosts = [WebBench.proxyHost]
        return settings
    }()

    /// What our own page sends with a change there.
    private static func headers(_ token: Substring) -> [String] {
        [
            "Origin: https://\(WebBench.proxyHost)", "Sec-Fetch-Site: same-origin", "X-Locationd: 1",
            "X-Locationd-Link: \(token)",
        ]
    }

    /// The token of a new link.
    private func token(_ bench: WebBench) async throws -> Substring {
        let link = try await bench.server.link(for: WebBench.user, opener: WebBench.user.uid, byProxy: true)
        return try #require(link.wholeMatch(of: /https:\/\/pages\.example\.org\/open#([0-9a-f]{64})/)).1
    }

    /// Following a link signs nobody in, wherever it was followed: the page names the user and asks.
    @Test(arguments: [[], ["Sec-Fetch-Site: none"], ["Sec-Fetch-Site: same-site"], ["Sec-Fetch-Site: cross-site"]])
    func pageAsksFirst(headers: [String]) async throws {
        try await WebBench.run(Self.settings, at: .proxy) { bench in
            let token = try await token(bench)
            for path in ["/open", "/open?token=\(token)"] {
                let asked = try await bench.request("GET", path, headers)
                #expect(asked.status == 200 && asked.body == "<p>sign in?</p>" && asked.header("set-cookie") == nil)
            }
            for _ in 0..<2 {
                let named = try await bench.request("POST", "/link", Self.headers(token))
                #expect(named.status == 200 && named.body.contains("\"uid\":61234"), "\(named)")
                #expect(named.body.contains(#""isAdministrator":false"#) && named.header("set-cookie") == nil)
            }
            let opened = try await bench.request("POST", "/open", Self.headers(token))
            #expect(opened.status == 204)
            let cookie = try #require(opened.header("set-cookie"))
            let parts = cookie.split(separator: "; ").map(String.init)
            #expect(parts[0].wholeMatch(of: /__Host-locationd-session=[0-9a-f]{64}/) != nil)
            #expect(parts.dropFirst() == ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"])
            #expect(try await bench.request("GET", "/session", ["Cookie: \(parts[0])"]).status == 200)
            // A cookie that another host could have set is none here.
            let tossed = parts[0].replacing("__Host-", with: "")
            #expect(try await bench.request("GET", "/session", ["Cookie: \(tossed)"]).status == 401)
            #expect(try await bench.request("GET", "/session", ["Cookie: \(tossed); \(parts[0])"]).status == 200)
            for path in ["/link", "/open"] {
                #expect(try await bench.request("POST", path, Self.headers(token)).status == 401, "it opens once")
            }
        }
    }

    /// A page of another site cannot answer the question in a person's place.
    @Test func anotherPageCannotAnswer() async throws {
        try await WebBench.run(Self.settings, at: .proxy) { bench in
            let token = try await token(bench)
            for (index, line) in [
                (0, "Origin: https://evil.example"), (0, "Origin: null"), (1, "Sec-Fetch-Site: cross-site"),
                (1, "Sec-Fetch-Site: same-site"), (2, "X-Locationd: 0"),
            ] {
                var headers = Self.headers(token)
                headers[index] = line
                for path in ["/link", "/open"] {
                    let reply = try await bench.request("POST", path, headers)
                    #expect(reply.status == 403 && reply.header("set-cookie") == nil, "\(line)")
                }
            }
            #expect(try await bench.request("POST", "/open", Self.headers(token)).status == 204)
        }
    }

    /// A link is for browsers of this machine or for those behind the proxy, and so is its session.
    @Test func linkOfTheOneIsNoneOfTheOther() async throws {
        try await WebBench.run(Self.settings, at: .ipv4AndProxy) { bench in
            func request(_ method: String, _ path: String, _ headers: [String]) async throws -> HTTPReply {
                let connection = try bench.connectAsProxy()
                try await connection.send(
                    bench.text(method, path, headers).replacing(bench.host, with: WebBench.proxyHost))
                return try await connection.reply()
            }
            let (local, proxied) = (try await bench.link(), try await token(bench))
            let localToken = local.suffix(64)
            #expect(try await request("POST", "/open", Self.headers(localToken)).status == 401)
            #expect(try await request("POST", "/link", Self.headers(localToken)).status == 401)
            #expect(try await bench.request("GET", "/open?token=\(proxied)").status == 403)
            let own = bench.ownHeaders("X-Locationd-Link: \(proxied)")
            #expect(try await bench.request("POST", "/open", own).status == 403)
            let opened = try await bench.request("GET", local)
            #expect(opened.status == 303)
            let cookie = "Cookie: \(try #require(opened.header("set-cookie")?.split(separator: ";").first))"
            for stolen in [cookie, cookie.replacing("locationd-", with: "__Host-locationd-")] {
                #expect(try await request("GET", "/session", [stolen]).status == 401)
            }
            #expect(try await request("POST", "/open", Self.headers(proxied)).status == 204)
        }
    }

    @Test func withoutASocketForAProxyThereIsNoLinkForOne() async throws {
        try await WebBench.run { bench in
            await #expect(throws: NoProxy.self) {
                _ = try await bench.server.link(for: WebBench.user, opener: geteuid(), byProxy: true)
            }
        }
        // And where there is no other socket, every link is for one.
        try await WebBench.run(Self.settings, at: .proxy) { bench in
            let link = try await bench.server.link(for: WebBench.user, opener: geteuid())
            #expect(link.hasPrefix("https://pages.example.org/open#"))
        }
    }
}
