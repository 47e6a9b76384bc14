@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// One next step that fits, and times that nobody mistakes.
@Suite struct StatusTextTests {
    @Test func aStoppedGPSDIsStartedBeforeAnythingIsPluggedIn() {
        let reason =
            "nothing listens on 127.0.0.1:2947: gpsd is not running there; `systemctl start gpsd.socket` starts it"
        for devices in [[], ["/dev/ttyACM0"]] {
            let advice = ReceiverDevices.advice(for: reason, devices)
            #expect(advice?.hasPrefix("`sudo systemctl start gpsd.socket`") == true, "\(advice ?? "-")")
        }
        let lines = lines(MonitorSamples.status(.unavailable, reason: reason))
        #expect(
            lines.count { $0.hasPrefix("  next ") } == 1 && lines[0] == "No position: no source can be used.",
            "\(lines)")
    }

    @Test func serviceThatIsOffSaysHowToSwitchItOn() {
        var status = MonitorSamples.status(.stopped, reason: "`sudo locctl start` switches it on")
        status.enabled = false
        let lines = lines(status)
        #expect(lines.first == "The location service is switched off.")
        #expect(lines.contains("  why         `sudo locctl start` switches it on"), "\(lines)")
    }

    @Test func withoutAReceiverOneIsPluggedIn() {
        let reason = "gpsd at 127.0.0.1:2947 has no receiver; plug one in"
        #expect(ReceiverDevices.advice(for: reason, [])?.hasPrefix("no receiver is plugged") == true)
        #expect(ReceiverDevices.advice(for: reason, ["/dev/ttyACM0"])?.contains("gpsdctl add /dev/ttyACM0") == true)
        #expect(ReceiverDevices.advice(for: "gpsd at 10.1.2.3:2947 has no receiver", []) == nil)
    }

    @Test func whatStopsTheSourcesIsNotAnsweredByRequestingAFix() throws {
        let location = Aged(try MonitorSamples.location(), age: 20)
        let asleep = lines(MonitorSamples.status(.stopped, reason: "the machine is going to sleep"), location)
        #expect(asleep.contains("  why         the machine is going to sleep"))
        #expect(!asleep.contains { $0.contains("locctl get") }, "\(asleep)")
        #expect(
            lines(MonitorSamples.status(.stopped), location).contains {
                $0.contains("`locctl get` requests a new fix, or says why none can")
            })
    }

    @Test func timesThatAreImplausibleOrOfArrivalAreMarked() throws {
        var location = try MonitorSamples.location()
        location.timestamp = UTCTime("2005-06-09T14:34:52.280Z")
        location.isTimestampImplausible = true
        var lines = lines(MonitorSamples.status(), Aged(location, age: 1))
        #expect(lines.contains("  time        2005-06-09 14:34:52.2 (implausible)"), "\(lines)")
        location.timestamp = nil
        lines = self.lines(MonitorSamples.status(), Aged(location, age: 1))
        #expect(lines.contains("  time        12:04:31.0 (arrival)"), "\(lines)")
    }

    private func lines(_ status: ServiceStatus, _ location: Aged<Location>? = nil) -> [String] {
        StatusText.lines(CallerStatus(status: status, location: location), MonitorSamples.clock)
    }
}
