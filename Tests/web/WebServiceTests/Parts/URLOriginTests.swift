import Testing
import WebService

/// The origin of the map's images goes into the Content Security Policy, and nothing else of the URL does.
@Suite struct URLOriginTests {
    @Test(arguments: [
        ("https://tiles.example.org/{z}/{x}/{y}.png", "https://tiles.example.org"),
        ("http://127.0.0.1:8080/{z}/{x}/{y}", "http://127.0.0.1:8080"), ("https://a/", "https://a"),
        ("https://{s}.tile.example.org/{z}/{x}/{y}.png", "https://*.tile.example.org"),
        ("https://tiles-{s}.example.org/{z}/{x}/{y}.png", "https://*.example.org"),
        // Content Security Policy has a pattern in the first label alone.
        ("https://tile.{s}.example.org/{z}", nil), ("https://{s}/{z}", nil), ("https://{x}.example.org/{z}", nil),
        ("https://a;script-src *//", nil), ("https://a b/", nil), ("https://a'unsafe-inline'/", nil),
        ("https://a,b/", nil), ("https://user@a/", nil),
        ("https://a:port/", nil), ("https://a:123456/", nil), ("https://a", nil), ("https:///", nil), ("ftp://a/", nil),
        ("javascript:alert(1)//", nil), ("//a/", nil), ("", nil), ("https://*/", nil), ("https://a/\nb", nil),
        ("HTTPS://a/", nil),
    ])
    func origin(url: String, origin: String?) {
        #expect(URLOrigin.of(url) == origin)
    }
}
