import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Sources off by an administrator, while the machine sleeps and while the battery is low, with real gpsd.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct SourcesOffTests {
    @Test func theNextSourceServesWhileOneIsOffAlsoAfterARestart() throws {
        let receiver = try Receiver(north: 10)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(
            "[delivery]\nlinger = 0.5\nfailover-delay = 60\n"
                + "[[sources]]\nkind = \"gpsd\"\nname = \"roof\"\nport = \(gpsd.port)\n"
                + "[[sources]]\nkind = \"static\"\nname = \"desk\"\nlatitude = 48.8584\nlongitude = 2.2945\n")
        let watch = try daemon.watch()
        try watch.wait("the receiver serves") { $0.location?.value.source.name == "roof" }
        let seen = watch.replies.count
        #expect(try daemon.locctl("source", "roof", "off").code == 0)
        try watch.wait("the next serves at once", after: seen) { $0.location?.value.source.name == "desk" }
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        let status = try daemon.locctl("status").output
        #expect(status.contains("instead of  roof, stopped: roof is switched off by an administrator"), "\(status)")
        let states = try daemon.locctl("source").lines.map { $0.prefix { $0 != ";" } }
        #expect(states == ["roof: off", "desk: on, running"])

        try daemon.stop()
        try daemon.start()
        let again = try daemon.watch()
        try again.wait("it is still off") { $0.location?.value.source.name == "desk" }
        #expect(gpsd.clients == 0)
        #expect(try daemon.locctl("source", "roof", "on").code == 0)
        try again.wait("it serves again") { $0.location?.value.source.name == "roof" }
    }

    @Test func diagnoseSaysWhatIsOffAsSoonAsItIs() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        #expect(try daemon.locctl("diagnose").lines.last == "Everything works.")
        #expect(try daemon.locctl("source", "simulator", "off").code == 0)
        let off = try daemon.locctl("diagnose")
        #expect(off.code == 5 && off.output.contains("[!!] source      simulator is switched off"), "\(off)")
        #expect(try daemon.locctl("source", "simulator", "on").code == 0)
        let on = try daemon.locctl("diagnose")
        #expect(on.code == 0 && on.lines.last == "Everything works.", "\(on)")
        #expect(try daemon.locctl("suspend").code == 0)
        let asleep = try daemon.locctl("diagnose")
        #expect(asleep.code == 5 && asleep.output.contains("the machine is going to sleep"), "\(asleep)")
        // No accuracy was asked for.
        let get = try daemon.locctl("get", "--timeout", "5")
        #expect(get.code == 5 && !get.errors.contains("accuracy"), "\(get)")
        #expect(get.errors.contains("no new location came in time: the machine is going to sleep"), "\(get)")
    }

    @Test func anUnknownSourceIsNamedWithTheKnownOnes() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        for words in [["roof"], ["roof", "off"]] {
            let child = try daemon.start("source", words)
            #expect(try child.wait(within: 40) == 1)
            #expect(child.errors == "locctl: no source has the name roof; the sources are: simulator\n")
        }
        let swapped = try daemon.start("source", ["off", "simulator"])
        #expect(try swapped.wait(within: 40) == 2)
        let nameless = try daemon.start("source", ["off"])
        #expect(try nameless.wait(within: 40) == 1)
        #expect(nameless.errors.contains("the name comes first: `locctl source NAME off`"), "\(nameless.errors)")
        let wrong = try daemon.start("source", ["simulator", "maybe"])
        #expect(try wrong.wait(within: 40) == 2)
    }

    @Test func theReceiverIsClosedWhileTheMachineSleeps() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let seen = watch.replies.count
        #expect(try daemon.locctl("suspend").code == 0)
        // The daemon has closed its end when the command ends; gpsd notices soon.
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        let told = try watch.wait("it is told", after: seen) { $0.status?.source == .stopped }
        #expect(told.status?.reason == "the machine is going to sleep")
        #expect(try daemon.locctl("resume").code == 0)
        try watch.awaitLocation(after: watch.replies.count)
        #expect(watch.end == nil)
    }

    /// The kernel's files, with a directory of the test's own in their place.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root")) func belowTheLevelTheReceiverIsClosed() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let folder = try TemporaryFolder()
        func battery(_ capacity: String, _ status: String) throws {
            for (file, text) in ["type": "Battery", "present": "1", "capacity": capacity, "status": status] {
                try folder.write(text + "\n", to: "supplies/BAT0/\(file)")
            }
        }
        try battery("8", "Discharging")
        try folder.write(
            "[power]\nminimum-battery = 10\n" + Settings.gpsd(gpsd.port), to: "locationd.toml")
        let flags = DaemonProcess.flags(in: folder).joined(separator: " ")
        let mount = "mount --bind \(folder("supplies")) /sys/class/power_supply"
        let process = try LoggedProcess(
            "/usr/bin/unshare",
            ["--mount", "/bin/sh", "-c", "\(mount) && exec \(Products.daemon) \(flags)"])
        defer {
            process.signal(SIGTERM)
            _ = try? process.wait(within: 30)
        }
        let socket = DaemonProcess.socket(in: folder)
        try waitUntil("the daemon listens", within: 60, details: { process.errors }) {
            FileManager.default.fileExists(atPath: socket) && process.errors.contains("listening")
        }
        let watch = try Watcher(socket: socket, WatchRequest())
        let told = try watch.wait("it is told") { $0.status?.source == .unavailable }
        #expect(told.status?.reason == "the battery is at 8 %, below the 10 % of power.minimum-battery")
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        // The next reading is due within a minute.
        try battery("8", "Charging")
        try watch.awaitLocation(after: 0, within: 100)
    }
}
