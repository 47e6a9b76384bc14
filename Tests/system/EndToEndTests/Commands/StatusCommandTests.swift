import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// What a person is told first: where, how good, how old, or why not, on one screen.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct StatusCommandTests {
    @Test func trackingTellsPlaceAndSky() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch { $0.satellites = true }
        try watch.wait("the sky is seen") { $0.satellites != nil }
        try watch.awaitStatus(.tracking)
        let answer = try daemon.locctl("status")
        #expect(answer.code == 0, "\(answer)")
        #expect(answer.output.contains("52.50") && answer.output.contains("13.37"))
        #expect(answer.output.contains("4 in view"), "\(answer.output)")
        #expect(answer.output.contains("gpsd (\(receiver.path))"))
        #expect(answer.lines.count <= 24)
        let object = try daemon.locctl("status", "--json").object
        #expect((object["status"] as? [String: Any])?["source"] as? String == "tracking")
        #expect((object["location"] as? [String: Any])?["latitude"] is Double)
    }

    @Test func idleTellsTheLastPosition() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        #expect(try daemon.locctl("get").code == 0)
        try waitUntil("the simulator stops") { try daemon.statistics().demand == false }
        try waitUntil("the fix is stale") { try daemon.status().source == .stopped }
        let answer = try daemon.locctl("status")
        #expect(answer.code == 0)
        #expect(answer.output.hasPrefix("Idle; the last position was -0.2"), "\(answer.output)")
        #expect(answer.output.contains("`locctl get` requests a new fix"))
        #expect(try daemon.statistics().demand == false, "asking has started nothing")
    }

    @Test func nothingPluggedInTellsWhatIsMissing() throws {
        let port = try LoopbackPort.free()
        let daemon = try DaemonProcess(Settings.gpsd(port))
        let status = try daemon.locctl("status")
        #expect(status.code == 5)
        #expect(status.output.hasPrefix("No position: no source can be used"), "\(status.output)")
        #expect(status.output.contains("nothing listens on 127.0.0.1:\(port): gpsd is not running there"))
        #expect(status.output.contains("`systemctl start gpsd.socket` starts it"))
        #expect(status.output.contains("`locctl diagnose`"))
        #expect(status.lines.count <= 24)

        let diagnosis = try daemon.locctl("diagnose")
        #expect(diagnosis.code == 5)
        #expect(diagnosis.output.contains("[ok] daemon") && diagnosis.output.contains("[!!] source"))
        #expect(diagnosis.output.contains("gpsd is not running there"), "\(diagnosis.output)")
        #expect(diagnosis.lines.last?.contains("->") == true, "the last line is the next step")
        #expect(!diagnosis.output.contains("locctl diagnose"), "\(diagnosis.output)")
        #expect(diagnosis.lines.count <= 24)
    }

    @Test func soundChainIsDiagnosed() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("diagnose")
        #expect(answer.code == 0 && answer.lines.last == "Everything works.")
        let steps = try #require(try daemon.locctl("diagnose", "--json").object["steps"] as? [[String: Any]])
        #expect(steps.map { $0["link"] as? String } == ["daemon", "permission", "switch", "source", "fix"])
        #expect(steps.allSatisfy { $0["isSound"] as? Bool == true })
    }
}
