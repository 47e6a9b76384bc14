@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// The live view while the daemon cannot be reached.
@Suite struct MonitorOutageTests {
    @Test func outageIsAsLongAsAllItsFailures() throws {
        var state = try MonitorSamples.state()
        for seconds in [0.0, 10, 20] {
            state.connectionLost("attempt at \(seconds)", at: MonitorSamples.now.advanced(bySeconds: seconds))
        }
        let text = MonitorSamples.text(state, after: 21)
        #expect(text.contains("disconnected for 21 s") && text.contains("attempt at 20.0"), "\(text)")
    }
}
