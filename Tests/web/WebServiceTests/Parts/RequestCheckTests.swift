import Testing
import WebService

/// Which requests are our own pages', by what a browser says of them.
@Suite struct RequestCheckTests {
    private typealias Purpose = RequestCheck.Purpose

    private let check = RequestCheck(ports: [8447], names: ["Pages.Example.org"])

    private func request(
        host: String? = "127.0.0.1:8447", origin: String? = nil, site: String? = nil, mark: String? = nil
    ) -> RequestCheck.Origin {
        var request = RequestCheck.Origin()
        (request.host, request.origin, request.site, request.mark) = (host, origin, site, mark)
        return request
    }

    private func change(
        host: String = "127.0.0.1:8447", origin: String? = "http://127.0.0.1:8447", site: String? = "same-origin",
        mark: String? = "1"
    ) -> RequestCheck.Origin {
        request(host: host, origin: origin, site: site, mark: mark)
    }

    @Test(arguments: [
        "127.0.0.1:8447", "localhost:8447", "LOCALHOST:8447", "[::1]:8447", "pages.example.org", "PAGES.example.ORG",
    ])
    func hostOfTheServiceIsAnswered(host: String) {
        #expect(check.refusal(request(host: host), for: .page) == nil)
        #expect(check.refusal(request(host: host), for: .part) == nil)
        let origin = "http://\(host.lowercased())"
        #expect(check.refusal(change(host: host, origin: origin), for: .change) == nil)
    }

    /// DNS rebinding: the name is the other page's, though it leads here.
    @Test(arguments: [
        nil, "", "evil.example", "evil.example:8447", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8448", "localhost",
        "localhost.:8447",
        "127.0.0.1.evil.example:8447", "127.0.0.2:8447", "0.0.0.0:8447", "[::]:8447", "[::1]", "::1:8447", "127.1:8447",
        "2130706433:8447", "pages.example.org:8447", "sub.pages.example.org", "127.0.0.1:8447, evil.example",
        "user@127.0.0.1:8447", "127.0.0.1:8447 ", "127.0.0.1:08447", "[::ffff:127.0.0.1]:8447",
    ])
    func otherHostIsRefused(host: String?) throws {
        for purpose in [Purpose.page, .part, .change] {
            var request = change()
            request.host = host
            if let host { request.origin = "http://\(host)" }
            #expect(try #require(check.refusal(request, for: purpose)).contains("host"), "\(purpose)")
        }
    }

    /// Browsers leave the usual port out.
    @Test func usualPortIsNotNamed() {
        let check = RequestCheck(ports: [80])
        #expect(check.refusal(request(host: "127.0.0.1"), for: .page) == nil)
        #expect(check.refusal(request(host: "[::1]"), for: .page) == nil)
        #expect(check.refusal(request(host: "127.0.0.1:8447"), for: .page) != nil)
    }

    @Test func proxyMaySpeakTLS() {
        let host = "pages.example.org"
        #expect(check.refusal(change(host: host, origin: "https://\(host)"), for: .change) == nil)
        #expect(check.refusal(change(host: host, origin: "https://\(host):444"), for: .change) != nil)
    }

    @Test(arguments: [
        "null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:8448", "http://localhost:8447",
        "ftp://127.0.0.1:8447", "http://127.0.0.1:8447.evil.example", "http://127.0.0.1:8447/", "several",
    ])
    func otherOriginIsRefused(origin: String) {
        for purpose in [Purpose.page, .part, .change] {
            #expect(check.refusal(change(origin: origin), for: purpose) == "the request comes from another page")
        }
    }

    @Test(arguments: [
        (nil, true, true, true), ("same-origin", true, true, true), ("none", true, true, false),
        ("same-site", true, false, false), ("cross-site", true, false, false), ("several", true, false, false),
        ("Same-Origin", true, false, false), ("", true, false, false),
    ])
    func fetchSite(site: String?, page: Bool, part: Bool, isChange: Bool) {
        #expect((check.refusal(request(site: site), for: .page) == nil) == page)
        #expect((check.refusal(request(site: site), for: .part) == nil) == part)
        #expect((check.refusal(change(site: site), for: .change) == nil) == isChange)
    }

    /// A form of another page, an image, or a program without a browser's headers.
    @Test func changeNeedsMarkAndOrigin() {
        for mark in [nil, "", "0", "11", "1, 1"] {
            #expect(check.refusal(change(mark: mark), for: .change) == "the header X-Locationd is missing")
        }
        #expect(check.refusal(change(origin: nil), for: .change) == "the header Origin is missing")
        #expect(check.refusal(change(origin: nil, site: nil), for: .change) == "the header Origin is missing")
        #expect(check.refusal(change(site: nil), for: .change) == nil)
    }
}
