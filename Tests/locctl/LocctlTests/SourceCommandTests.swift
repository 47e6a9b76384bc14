@_spi(Programs) import LocationInterface
import Testing

@testable import locctl

/// What `locctl source` says of a source.
struct SourceCommandTests {
    private func state(running: Bool, enabled: Bool = true, reason: String? = nil) -> String {
        var report = SourceReport(name: "gpsd", running: running, fixes: 0, counters: [:], reason: reason)
        report.enabled = enabled
        return SourceCommand.state(of: report)
    }

    @Test func aSourceThatCannotBeReachedHasNoFixAndNothingElse() {
        #expect(
            state(running: true, reason: "nothing listens on 127.0.0.1:1")
                == "on, no fix: nothing listens on 127.0.0.1:1")
    }

    @Test func othersAreInOneState() {
        #expect(state(running: true) == "on, running")
        #expect(state(running: false) == "on, not needed now")
        #expect(state(running: false, enabled: false) == "off")
    }
}
