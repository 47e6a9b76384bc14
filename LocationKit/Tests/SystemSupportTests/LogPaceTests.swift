@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Testing

@Suite struct LogPaceTests {
    /// A line of the log at once, and a minute later, with how many mistakes there were.
    @Test func oneLineAMinuteIsLogged() {
        var pace = LogPace()
        #expect(pace.note(at: BootInstant(seconds: 0)) == 1)
        for index in 0..<290_000 { #expect(pace.note(at: BootInstant(seconds: Double(index) / 10_000)) == nil) }
        #expect(pace.note(at: BootInstant(seconds: 59.9)) == nil)
        #expect(pace.note(at: BootInstant(seconds: 60)) == 290_002)
        #expect(pace.note(at: BootInstant(seconds: 119.9)) == nil && pace.note(at: BootInstant(seconds: 121)) == 2)
    }
}
