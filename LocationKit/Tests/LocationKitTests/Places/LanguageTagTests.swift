import Testing

@_spi(Programs) @testable import LocationKit

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("de_CH.UTF-8", "de-CH"), ("pt_BR", "pt-BR"), ("fr", "fr"), ("sr_RS@latin", "sr-RS"),
        ("de_DE.UTF-8@euro", "de-DE"),
    ])
    func namesOfLocalesAreTags(_ name: String, _ tag: String) {
        #expect(LanguageTag.named(name) == tag)
    }

    @Test(arguments: ["C", "C.UTF-8", "POSIX", ".UTF-8", "", "de CH", "de\u{0}", String(repeating: "a", count: 65)])
    func othersAreNone(_ name: String) {
        #expect(LanguageTag.named(name) == nil)
    }
}
