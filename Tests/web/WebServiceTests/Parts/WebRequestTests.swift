import NIOCore
import NIOHTTP1
import Testing

@testable import WebService

/// What a request says: path, query, cookies, and headers that are there twice.
@Suite struct WebRequestTests {
    private func request(_ uri: String, _ headers: [(String, String)] = []) -> WebRequest {
        WebRequest(
            HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(headers)), ByteBuffer())
    }

    @Test(arguments: [
        ("/", "/", [:]), ("/?", "/", [:]), ("/open?token=ab", "/open", ["token": "ab"]), ("", "", [:]), ("?", "", [:]),
        ("/a?b=c?d=e", "/a", ["b": "c?d=e"]), ("/a?b=c=d", "/a", ["b": "c=d"]), ("/a?b", "/a", ["b": ""]),
        ("/a?&&b=1&", "/a", ["b": "1"]),
        ("/a?b=1&b=2", "/a", ["b": "2"]), ("/a?from=2026-11-24T08%3A00%3A00Z", "/a", ["from": "2026-11-24T08:00:00Z"]),
        // Percent-encoding that is none stays as it is; what is no UTF-8 becomes the replacement character.
        ("/a?b=%", "/a", ["b": "%"]), ("/a?b=%4", "/a", ["b": "%4"]), ("/a?b=%zz", "/a", ["b": "%zz"]),
        ("/a?b=%+f", "/a", ["b": "%+f"]),
        ("/a?b=%-1", "/a", ["b": "%-1"]), ("/a?b=%%41", "/a", ["b": "%A"]), ("/a?b=%ff", "/a", ["b": "\u{FFFD}"]),
        ("/a?b=%2541", "/a", ["b": "%41"]), ("/a?b=%00%0d%0a", "/a", ["b": "\0\r\n"]),
        ("/a?%62=%C3%A4", "/a", ["b": "ä"]),
        ("/a?b=%é", "/a", ["b": "%é"]), ("/a?b=%26c%3Dd", "/a", ["b": "&c=d"]),
        // The path is compared as it is.
        ("/%2e%2e/a", "/%2e%2e/a", [:]), ("http://127.0.0.1/a", "http://127.0.0.1/a", [:]),
        ("/a#b?c=d", "/a#b", ["c": "d"]),
    ])
    func pathAndQuery(uri: String, path: String, query: [String: String]) {
        let request = request(uri)
        #expect(request.path == path)
        #expect(request.query == query)
    }

    @Test(arguments: [
        (["gzip"], true), (["gzip, deflate, br"], true), (["br;q=1.0, gzip;q=0.8"], true), (["GZip"], true),
        (["br", "gzip"], true),
        (["br,gzip ; q=0.001"], true), ([], false), ([""], false), (["br"], false), (["gzip;q=0"], false),
        (["gzip; q=0.000"], false), (["xgzip, gzipped"], false), ([";gzip"], false), (["*"], false),
    ])
    func gzipIsAccepted(values: [String], isAccepted: Bool) {
        #expect(request("/", values.map { ("Accept-Encoding", $0) }).acceptsGzip == isAccepted)
    }

    @Test(arguments: [
        (["locationd-session=ab"], ["ab"]), (["a=b; locationd-session=ab; c=d"], ["ab"]),
        (["a=b", "locationd-session=ab"], ["ab"]),
        (["locationd-session=a=b"], ["a=b"]), (["a=b;locationd-session=ab"], ["ab"]),
        (["  locationd-session=ab"], ["ab"]),
        (["locationd-session="], []), (["locationd-session"], []), ([], []), ([";;; ;"], []), (["=ab"], []),
        (["xlocationd-session=ab"], []), (["Locationd-Session=ab"], []), (["locationd-session =ab"], []),
        (["__Host-locationd-session=ab"], []),
        // Those that a page on another port has added do not hide the own one.
        (["locationd-session-2=evil; locationd-session=ab"], ["ab"]),
        (["locationd-session=x; locationd-session=ab", "locationd-session=y"], ["x", "ab", "y"]),
    ])
    func cookiesOfAName(cookies: [String], values: [String]) {
        #expect(request("/", cookies.map { ("Cookie", $0) }).cookies(named: "locationd-session") == values)
    }

    /// What a proxy and a server could read differently is treated as a request of another site.
    @Test func headersThatAreThereTwice() {
        let twice = request(
            "/",
            [
                ("Host", "a"), ("Host", "a"), ("Origin", "http://a"), ("origin", "http://a"),
                ("Sec-Fetch-Site", "same-origin"),
                ("sec-fetch-site", "same-origin"), ("X-Locationd", "1"), ("X-Locationd", "1"),
            ]
        ).origin
        #expect(twice.host == nil && twice.mark == nil)
        let check = RequestCheck(ports: [], names: ["a"])
        var once = twice
        once.host = "a"
        for purpose in [RequestCheck.Purpose.page, .part, .change] { #expect(check.refusal(once, for: purpose) != nil) }
        let single = request("/", [("host", "a"), ("ORIGIN", "http://a"), ("x-locationd", "1")]).origin
        #expect(check.refusal(single, for: .change) == nil)
    }
}
