import Places
import Testing

/// Settings that would not do are refused with what to do instead.
struct OnlineSettingsTests {
    private func settings(
        url: String = "https://places.example", contact: String = "me@example.org", rate: Double = 1,
        timeout: Double = 10, cachePath: String? = nil, cacheExpiry: Double = 60, cacheSize: Int = 10
    ) throws(OnlineSettings.Invalid) -> OnlineSettings {
        try OnlineSettings(
            provider: .photon, url: url, contact: contact, rate: rate, timeout: timeout, cachePath: cachePath,
            cacheExpiry: cacheExpiry, cacheSize: cacheSize)
    }

    @Test(arguments: [
        ("https://places.example", "https://places.example"),
        ("HTTP://127.0.0.1:8080/", "HTTP://127.0.0.1:8080"),
        ("http://[::1]:2322/a/b//", "http://[::1]:2322/a/b"),
    ])
    func goodAddressIsTakenWithoutTheSlashAtItsEnd(_ text: String, _ base: String) throws {
        #expect(try settings(url: text).url == base)
    }

    @Test(arguments: [
        "", "places.example", "ftp://places.example", "file:///etc/passwd", "https://", "https:///reverse",
        "https://me@places.example", "https://me:secret@places.example", "https://places.example/?key=1",
        "https://places.example/#a", "https://places.example/\r\nHost: other", "https://plätze.example",
        "https://places.example:0", "https://places.example:99999", "https://places .example", "javascript:alert(1)",
        "https://" + String(repeating: "a", count: 2000),
    ])
    func badAddressIsRefused(_ text: String) throws {
        let error = #expect(throws: OnlineSettings.Invalid.self) { try settings(url: text) }
        #expect(error?.value == .url)
        #expect(error?.remedy.isEmpty == false)
    }

    @Test(arguments: ["", "  ", "12", "a\r\nX: y", "me (home)", "mé@example.org", String(repeating: "a", count: 201)])
    func contactThatFitsNoHeaderIsRefused(_ text: String) {
        #expect(throws: OnlineSettings.Invalid.self) { try settings(contact: text) }
    }

    @Test(arguments: [0, -1, 101, .nan, .infinity])
    func rateIsBounded(_ rate: Double) {
        let error = #expect(throws: OnlineSettings.Invalid.self) { try settings(rate: rate) }
        #expect(error?.description == "rate: give requests a second from 0.001 to 100.0")
    }

    @Test func otherNumbersAreBounded() {
        #expect(throws: OnlineSettings.Invalid.self) { try settings(timeout: 0) }
        #expect(throws: OnlineSettings.Invalid.self) { try settings(timeout: .nan) }
        #expect(throws: OnlineSettings.Invalid.self) { try settings(cacheExpiry: -1) }
        #expect(throws: OnlineSettings.Invalid.self) { try settings(cacheSize: 0) }
    }

    @Test func cacheLiesAtAnAbsolutePath() throws {
        #expect(throws: OnlineSettings.Invalid.self) { try settings(cachePath: "cache.db") }
        #expect(throws: OnlineSettings.Invalid.self) { try settings(cachePath: "") }
        #expect(try settings(cachePath: "/var/cache/places.db").cachePath == "/var/cache/places.db")
    }

    @Test func defaultsArePolite() throws {
        let settings = try OnlineSettings(provider: .nominatim, url: "https://a.example", contact: "me@example.org")
        #expect(settings.rate == 1)
        #expect(settings.timeout == 10)
        #expect(settings.cachePath == nil)
        #expect(settings.cacheExpiry == 30 * 86_400)
        #expect(settings.cacheSize == 10_000)
    }
}
