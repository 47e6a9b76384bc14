import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A new configuration takes effect under connected clients; an invalid one changes nothing.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct ReloadTests {
    @Test func sourcesAreSwappedUnderAWatch() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        #expect(try watch.awaitLocation().source.name == "gpsd")
        try daemon.reconfigure(Settings.simulator())
        let answer = try daemon.locctl("reload")
        #expect(answer.code == 0 && answer.output.contains("changed: sources"), "\(answer)")
        try watch.wait("the simulator is heard") { $0.location?.value.source.isSimulated == true }
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        let seen = watch.replies.count
        try watch.awaitLocation(after: seen + 3)
        #expect(watch.replies.dropFirst(seen).compactMap(\.location).allSatisfy { $0.value.source.isSimulated })
        #expect(watch.locations.risesStrictly && watch.end == nil)
        #expect(watch.statuses.last?.source == .tracking)
    }

    @Test func sourcesAreSwappedBackAndForth() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.watch()
        try watch.awaitLocation()
        for turn in 0..<6 {
            let name = turn % 2 == 0 ? "static" : "simulator"
            let position = "[[sources]]\nkind = \"static\"\nlatitude = 1\nlongitude = 2\n"
            try daemon.reconfigure(turn % 2 == 0 ? Settings.quick + position : Settings.simulator())
            let seen = watch.replies.count
            #expect(try daemon.locctl("reload").code == 0)
            try watch.wait("\(name) is heard", after: seen) { $0.location?.value.source.name == name }
        }
        #expect(watch.end == nil)
    }

    @Test func hangUpReloads() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nclients = 100\n")
        let watch = try daemon.watch()
        try watch.awaitLocation()
        try daemon.reconfigure(Settings.simulator() + "[limits]\nclients = 200\n")
        daemon.process.signal(SIGHUP)
        try daemon.awaitLog("changed=limits.clients")
        try watch.awaitLocation(after: watch.replies.count)
        #expect(watch.end == nil && watch.locations.isComplete)
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func limitHoldsAsItIsReloaded() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nclients = 2\n")
        let programs = try Products.copied(to: daemon.folder)
        let crowd = try (0..<2).map { _ in try daemon.watch() }
        for watch in crowd { try watch.awaitLocation() }
        func thirdIsTooMany() throws -> Bool {
            let command = OtherUser.stranger.command + [programs.command, "status", "--socket", daemon.socket]
            let child = try LoggedProcess("setpriv", command)
            let code = try child.wait()
            #expect((code == 3) == child.errors.contains("too many connections are open (the limit is 2)"))
            return code == 3
        }
        #expect(try thirdIsTooMany())
        try daemon.reconfigure(Settings.simulator() + "[limits]\nclients = 3\n")
        #expect(try daemon.locctl("reload").code == 0)
        #expect(try !thirdIsTooMany())
        try daemon.reconfigure(Settings.simulator() + "[limits]\nclients = 2\n")
        #expect(try daemon.locctl("reload").code == 0)
        #expect(try thirdIsTooMany())
    }

    @Test func invalidFileChangesNothing() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.watch()
        try watch.awaitLocation()
        try daemon.reconfigure("[delivery]\nlinger = 1\nstale-after = -1\n")
        let place = "\(daemon.configuration):3: delivery.stale-after: "
        let answer = try daemon.locctl("reload")
        #expect(answer.code == 1)
        #expect(answer.errors.contains(place), "\(answer.errors)")
        #expect(answer.errors.split(separator: "\n").count == 1)
        daemon.process.signal(SIGHUP)
        try daemon.awaitLog(place)
        #expect(daemon.log.contains("the former one stays in effect"))
        try watch.awaitLocation(after: watch.replies.count)
        #expect(watch.end == nil && watch.locations.isComplete)
        #expect(watch.locations.last?.source.name == "simulator")
    }

    @Test func whatWaitsForARestartIsTold() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        try daemon.reconfigure(Settings.simulator() + "[access]\ngroup = \"adm\"\n")
        let answer = try daemon.locctl("reload")
        #expect(answer.code == 0 && answer.output == "waits for a restart: access.group\n", "\(answer)")
        #expect(try daemon.locctl("reload").output == answer.output, "it still waits")
        try daemon.reconfigure(Settings.simulator())
        #expect(try daemon.locctl("reload").output == "nothing changed\n", "the daemon runs with what is written")
    }
}
