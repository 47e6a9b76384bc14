import Testing

@testable import locctl

/// What `systemctl show` says of the services around the daemon, and what `locctl diagnose` makes of it.
@Suite struct ServiceUnitTests {
    /// As systemd 252 answers, whose order of properties is its own.
    private static let answer = """
        StatusText=
        Id=locationd-bridge.service
        LoadState=loaded
        ActiveState=inactive
        SubState=dead

        Id=locationd-places.service
        LoadState=not-found
        ActiveState=inactive
        SubState=dead

        StatusText=recording; the last location is 1 s old
        Id=locationd-history.service
        LoadState=loaded
        ActiveState=active
        SubState=running

        StatusText=degraded: the certificate of the broker at mqtts://b:8883 cannot be verified; 12 messages wait; x=y
        Id=locationd-fleet.service
        LoadState=loaded
        ActiveState=active
        SubState=running
        """

    private func steps(_ answer: String) -> [Diagnosis.Step] {
        var diagnosis = Diagnosis()
        diagnosis.services(
            ServiceUnit.units(
                in: answer.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)))
        return diagnosis.steps
    }

    private func unit(_ name: String, _ state: String, _ sub: String, _ status: String) -> String {
        "Id=locationd-\(name).service\nLoadState=loaded\nActiveState=\(state)\nSubState=\(sub)\nStatusText=\(status)"
    }

    @Test func eachInstalledServiceIsALink() {
        let steps = steps(Self.answer)
        #expect(steps.map(\.link) == ["bridge", "history", "fleet"], "what is not installed is left out")
        #expect(steps.map(\.isSound) == [true, true, false])
        #expect(steps[0].finding == "it does not run at present")
        #expect(steps[1].finding == "recording; the last location is 1 s old")
        #expect(
            steps[2].finding
                == "the certificate of the broker at mqtts://b:8883 cannot be verified; 12 messages wait; x=y")
        #expect(steps[2].advice?.contains("systemctl status locationd-fleet.service") == true)
    }

    @Test(arguments: [("failed", "failed"), ("activating", "auto-restart")])
    func failedServiceSaysWhereTheReasonIs(state: String, sub: String) {
        let steps = steps(unit("fleet", state, sub, "there is no broker; give --broker"))
        #expect(steps.map(\.isSound) == [false] && steps[0].finding == "there is no broker; give --broker")
        #expect(steps[0].advice?.contains("journalctl -u locationd-fleet.service") == true)
        #expect(self.steps(unit("places", state, sub, "")).first?.finding == "it has failed")
    }

    /// By the mark alone, whatever the words are and whosever they are.
    @Test func serviceThatSaysSoIsInTrouble() {
        for name in ["fleet", "history", "bridge", "places", "nearby"] {
            let steps = steps(unit(name, "active", "running", "degraded: not authorized (denied): ask"))
            #expect(steps.map(\.isSound) == [false] && steps[0].finding == "not authorized (denied): ask")
            #expect(self.steps(unit(name, "active", "running", "the disk was degraded: once")).map(\.isSound) == [true])
        }
        #expect(steps(unit("fleet", "active", "running", "")).map(\.finding) == ["it runs"])
        #expect(steps("").isEmpty && steps("Failed to connect to bus").isEmpty)
    }

    @Test func programWithoutADesktopFileIsNamedOnce() {
        let start = "the desktop refuses a program the position count=1 "
        func line(_ id: String, _ uid: Int) -> String {
            start + #"desktop-file=missing program="GeoClue: \#(id)" reason="no file uid=7 of it" uid=\#(uid)"#
        }
        var diagnosis = Diagnosis()
        diagnosis.refusedPrograms(
            by: [
                line("org.example.script", 1000), line("a/b' c", 1001), line("org.example.script", 1000),
                start + #"program="GeoClue: org.gnome.Maps" reason="refused" uid=1000"#, "listening",
            ])
        #expect(diagnosis.isSound && diagnosis.steps.count == 2)
        #expect(diagnosis.steps.allSatisfy { $0.isOpen == true && $0.link == "geoclue" })
        #expect(diagnosis.steps[0].finding.contains("“a/b' c” of uid:1001") == true)
        #expect(diagnosis.steps[0].advice?.contains("has to set another") == true)
        #expect(diagnosis.steps[1].finding.contains("“org.example.script” of uid:1000 ") == true)
        #expect(
            diagnosis.steps[1].advice?.hasPrefix(
                "install /usr/local/share/applications/org.example.script.desktop") == true)
    }
}
