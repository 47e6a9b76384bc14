@_spi(Programs) import LocationModel
import Testing

@testable import GPSDSource

@Suite struct AnomalyLogTests {
    private var log = AnomalyLog()

    private mutating func note(_ kind: String, _ example: String = "x", at seconds: Double) -> SourceEvent? {
        log.note(kind, example: Array(example.utf8), at: BootInstant(seconds: seconds))
    }

    @Test mutating func oneAMinuteOfEachKindWithTheCountSoFar() {
        #expect(note("garbage", at: 100) == .anomaly(kind: "garbage", total: 1, example: "x"))
        for _ in 0..<5000 { #expect(note("garbage", at: 130) == nil) }
        #expect(note("malformed", at: 131) == .anomaly(kind: "malformed", total: 1, example: "x"))
        #expect(note("garbage", at: 159.9) == nil)
        #expect(note("garbage", "y", at: 160) == .anomaly(kind: "garbage", total: 5003, example: "y"))
        #expect(note("garbage", at: 219.9) == nil)
        #expect(note("malformed", at: 191) == .anomaly(kind: "malformed", total: 2, example: "x"))
    }

    @Test(arguments: [
        ("{\"class\":\"TPV\"}", "{\"class\":\"TPV\"}"), ("\u{1B}[2J\r\n\0\u{7F}", "?[#J????"), ("ü", "??"), ("", ""),
        (#"{"class":"TPV","mode":3,"lat":48.117300000"#, ##"{"class":"TPV","mode":#,"lat":##.#########"##),
    ])
    func hostileBytesAreNotShown(text: String, shown: String) {
        var log = self.log
        let event = log.note("garbage", example: Array(text.utf8), at: BootInstant(seconds: 1))
        #expect(event == .anomaly(kind: "garbage", total: 1, example: shown))
    }

    @Test mutating func onlyTheBeginningIsShown() {
        let exact = String(repeating: "x", count: Printable.lineLength)
        #expect(note("a", exact, at: 1) == .anomaly(kind: "a", total: 1, example: exact))
        #expect(note("b", exact + "y", at: 1) == .anomaly(kind: "b", total: 1, example: exact + "…"))
    }
}
