import Glibc
import ProgramTestSupport
import Testing
import WebService

/// Whose browser opens a link on this machine, by what the kernel says of its connection: real users, over both
/// protocols.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome))
struct LinkOpenerTests {
    private static let stranger = OtherUser.stranger.number

    /// What another user's browser is answered, by bytes.
    private func answer(_ bench: WebBench, _ path: String, _ headers: [String] = []) async throws -> String {
        try await OtherUserRequest.answer(
            bench.text("GET", path, headers + ["Connection: close"]), at: bench.port,
            host: bench.place == .ipv6 ? "::1" : "127.0.0.1")
    }

    /// Who has seen somebody's link, and is faster, neither has it nor learns whether there is such a link; its owner
    /// has it afterwards.
    @Test(arguments: [WebBench.Place.ipv4, .ipv6])
    func anotherUserIsFirst(place: WebBench.Place) async throws {
        try await WebBench.run(at: place) { bench in
            for principal in [WebBench.administrator, WebBench.user] {
                let link = try await bench.link(for: principal)
                let unknown = "/open?token=\(String(repeating: "0", count: 64))"
                let reply = try await answer(bench, link)
                #expect(reply == (try await answer(bench, unknown)), "the answer tells that there is such a link")
                #expect(reply.hasPrefix("HTTP/1.1 403 ") && !reply.lowercased().contains("set-cookie"))
                let opened = try await bench.request("GET", link)
                #expect(opened.status == 303, "the stranger has used the link up")
                let cookie = try #require(opened.header("set-cookie")?.split(separator: ";").first)
                let session = try await bench.request("GET", "/session", ["Cookie: \(cookie)"])
                #expect(session.status == 200 && session.body.contains("\"uid\":\(principal.uid),"))
                #expect(try await answer(bench, link) == reply)
            }
        }
    }

    /// Root's link for another user's browser: the session is root's, and that browser's alone.
    @Test(arguments: [WebBench.Place.ipv4, .ipv6])
    func linkIsForTheUserWhomRootNames(place: WebBench.Place) async throws {
        try await WebBench.run(at: place) { bench in
            let link = try await bench.link(for: WebBench.administrator, opener: Self.stranger)
            #expect(try await bench.request("GET", link).status == 403, "root has opened it")
            let opened = try await answer(bench, link)
            #expect(opened.hasPrefix("HTTP/1.1 303 "))
            let cookie = "Cookie: \(try #require(opened.firstMatch(of: /locationd-session=[0-9a-f]{64}/)).output)"
            let session = try await answer(bench, "/session", [cookie])
            #expect(session.contains(#""isAdministrator":true"#) && session.contains(#""uid":0"#), "\(session)")
            #expect(try await bench.request("GET", "/session", [cookie]).status == 401)
        }
    }

    /// From another page, as the file of `locctl web`: the cookie is sent to a page that our own leads to.
    @Test(arguments: ["cross-site", "same-site"])
    func linkIsFollowedFromAnotherPage(site: String) async throws {
        try await WebBench.run { bench in
            let link = try await bench.link()
            let headers = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: navigate"]
            #expect(try await answer(bench, link, headers).hasPrefix("HTTP/1.1 403 "))
            let opened = try await bench.request("GET", link, headers)
            #expect(opened.status == 200 && opened.header("content-type") == "text/html; charset=utf-8")
            #expect(opened.body.contains(#"<meta http-equiv="refresh" content="0; url=/">"#))
            let cookie = try #require(opened.header("set-cookie"))
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
            let session = try await bench.request("GET", "/session", ["Cookie: \(cookie.prefix { $0 != ";" })"])
            #expect(session.status == 200)
        }
    }
}
