import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// The daemon as a service: what systemd gives it, and what it tells systemd.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct UnderSystemdTests {
    @Test(arguments: [["location", "control"], ["control", "nmea", "location"]])
    func firstClientStartsIt(_ names: [String]) throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), names: names)
        #expect(daemon.messages.isEmpty && !daemon.log.contains("listening"), "nobody has come yet")
        let watch = try daemon.watch()
        try watch.awaitLocation()
        #expect(try daemon.awaitMessage("it is ready") { $0 == "READY=1" } <= 1)
        let paths = Dictionary(uniqueKeysWithValues: zip(names, daemon.paths)).filter { $0.key != "nmea" }
        #expect(!daemon.log.contains("unknown socket"))
        for (name, path) in paths { #expect(daemon.log.contains("\(name)=\(path)")) }
        // Administration is served by the one that has the name, wherever it lies.
        let administration = try paths.mapValues { path in
            try LoggedProcess(Products.command, ["clients", "--socket", path]).wait()
        }
        #expect(administration == ["location": 4, "control": 0])
    }

    @Test func statusFollowsWhatHappens() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try ActivatedDaemon(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let tracking = try daemon.awaitMessage("it tracks") {
            $0 == "STATUS=tracking; 1 client"
        }
        #expect(!daemon.messages[tracking].contains("52.5"), "the place is not for everybody")
        try watch.close()
        try daemon.awaitMessage("it is idle", after: tracking) { $0 == "STATUS=idle; no clients" }
        let statuses = daemon.messages.filter { $0.hasPrefix("STATUS=") }
        #expect(zip(statuses, statuses.dropFirst()).allSatisfy { $0 != $1 }, "nothing is told twice: \(statuses)")
    }

    @Test func reloadIsTold() throws {
        let daemon = try ActivatedDaemon(Settings.simulator())
        let watch = try daemon.watch()
        let ready = try daemon.awaitMessage("it is ready") { $0 == "READY=1" }
        daemon.process.signal(SIGHUP)
        let reloading = try daemon.awaitMessage("it reloads", after: ready + 1) {
            $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=")
        }
        let again = try daemon.awaitMessage("it is ready again", after: reloading + 1) { $0 == "READY=1" }
        try daemon.folder.write("nonsense", to: "locationd.toml")
        daemon.process.signal(SIGHUP)
        let failing = try daemon.awaitMessage("it tries", after: again + 1) { $0.hasPrefix("RELOADING=1\n") }
        try daemon.awaitMessage("it is ready as it was", after: failing + 1) { $0 == "READY=1" }
        try watch.awaitLocation(after: watch.replies.count)
        #expect(watch.end == nil)
    }

    @Test func endIsToldAndSocketsStay() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), watchdog: 60)
        let watch = try daemon.watch()
        try watch.awaitLocation()
        let before = try daemon.paths.map(identity)
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.wait(within: 15) == 0)
        #expect(daemon.messages.contains("STOPPING=1") && daemon.log.contains("ended"))
        #expect(try daemon.paths.map(identity) == before)
        try waitUntil("the watch has seen the end") { watch.end != nil }
        #expect(watch.isFinal)
    }

    @Test func socketThatNobodyServesIsTold() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), names: ["location", "control", "printer"])
        let watch = try daemon.watch()
        try watch.awaitLocation()
        try waitUntil("it is told", details: { daemon.log }) {
            daemon.log.contains("systemd passes an unknown socket") && daemon.log.contains("name=printer")
        }
    }

    @Test func missingNameIsTold() throws {
        let daemon = try ActivatedDaemon(Settings.simulator(), names: ["location", "unknown"])
        _ = try UnixSocket(path: daemon.socket)
        #expect(try daemon.process.wait() == 1)
        let words = "systemd passes no socket named control, but location, unknown; a running .socket unit"
        #expect(daemon.log.contains("locationd: \(words)"))
        #expect(daemon.messages.contains { $0.hasPrefix("STATUS=\(words)") })
    }

    private func identity(_ path: String) throws -> UInt64 {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { throw Failure("no socket \(path)") }
        return UInt64(status.st_ino)
    }
}
