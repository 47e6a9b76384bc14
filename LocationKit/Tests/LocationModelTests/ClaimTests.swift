@_spi(Programs) import LocationModel
import Testing

/// What programs say of themselves, as people see it.
struct ClaimTests {
    @Test(arguments: [
        ("", ""), ("the way home", "the way home"), ("  a \u{A0}\u{3000} b  ", "a b"), ("\u{2003}", ""),
        ("“a” „b“ ”c” \"d\" 'e' ‘f’ ‚g‛ «h» ‹i› ‟j", "'a' 'b' 'c' 'd' 'e' 'f' 'g' 'h' 'i' 'j"),
        ("「a」 『b』 〝c〟 ＂d＂ ❝e❞ `f´ ″g‶", "'a' 'b' 'c' 'd' 'e' 'f' 'g'"),
        ("a\u{2800}\u{3164}\u{115F}\u{FFA0}b", "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}b"),
        ("a\u{202E}b\nc", "a\\u{202e}b\\u{a}c"), ("👩‍🚀 ❤️ नी", "👩‍🚀 ❤️ नी"),
    ])
    func claimIsSanitized(text: String, shown: String) {
        #expect(text.sanitizedAsClaim() == shown)
        #expect(shown.sanitizedAsClaim() == shown, "a second time changes nothing")
    }
}
