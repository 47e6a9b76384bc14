import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// The administrator's commands.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct AdministrationTests {
    @Test func clientsAreListedAndLetGo() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.watch { $0.purpose = "a \u{1B}[31mmap" }
        let other = try daemon.watch { $0.purpose = "another" }
        try watch.awaitLocation()
        try other.awaitLocation()
        let clients = try #require(try daemon.locctl("clients", "--json").object["clients"] as? [[String: Any]])
        let client = try #require(clients.first { ($0["purpose"] as? String)?.hasSuffix("map") == true })
        #expect(client["request"] as? String == "Watch" && client["socket"] as? String == "location")
        #expect(client["pid"] as? Int == Int(ProcessInfo.processInfo.processIdentifier))
        #expect(client["principal"] as? String == "uid:\(geteuid())")
        #expect(client["sent"] as? Int ?? 0 > 0 && client["dropped"] as? Int == 0)
        let table = try daemon.locctl("clients")
        #expect(table.output.contains("another") && !table.output.contains("\u{1B}"), "nobody steers the terminal")

        let id = try #require(client["id"] as? Int)
        #expect(try daemon.locctl("disconnect", "\(id)").code == 0)
        try waitUntil("the connection ends") { watch.end != nil }
        try other.awaitLocation(after: other.replies.count)
        #expect(other.end == nil)
    }

    @Test func statisticsCount() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        try watch.awaitLocation(after: 3)
        let statistics = try daemon.locctl("statistics", "--json").object
        #expect(statistics["pid"] as? Int == Int(daemon.process.pid))
        #expect(statistics["watches"] as? Int == 1 && statistics["demand"] as? Bool == true)
        #expect(statistics["fixes"] as? Int ?? 0 > 0 && statistics["deliveries"] as? Int ?? 0 > 3)
        #expect(statistics["residentBytes"] as? Int ?? 0 > 1_000_000)
        let source = try #require((statistics["sources"] as? [[String: Any]])?.first)
        #expect(source["name"] as? String == "gpsd" && source["running"] as? Bool == true)
        let receivers = try #require(statistics["receivers"] as? [[String: Any]])
        #expect(receivers.first?["device"] as? String == receiver.path)
        let text = try daemon.locctl("statistics")
        #expect(text.output.contains("receiver \(receiver.path): has a fix, followed"), "\(text.output)")
    }

    @Test func simulatedLocationIsGivenOutAndMarked() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        let watch = try daemon.watch()
        let answer = try daemon.locctl("simulate", "-33.86", "-151.21", "--altitude", "-12.5", "--json")
        #expect(answer.code == 0, "\(answer)")
        let location = try watch.awaitLocation()
        #expect(location.coordinate == Coordinate(latitude: -33.86, longitude: -151.21))
        #expect(location.altitude == -12.5 && location.mode == .threeDimensional)
        #expect(location.source == SourceInformation(name: "simulate", method: .simulated))
        #expect(try answer.object["sequence"] as? Int64 == location.sequence)
        #expect(try daemon.locctl("simulate", "52", "13").code == 0)
        try watch.wait("the next one comes") { $0.location?.value.coordinate.latitude == 52 }
    }

    @Test func recordingIsReplayed() throws {
        let recorder = try DaemonProcess(Settings.simulator(rate: 10))
        let file = recorder.folder("journey.jsonl")
        let record = try recorder.start("record", [file])
        try waitUntil("five locations are recorded") { recordedLocations(in: file).count >= 5 }
        record.signal(SIGINT)
        #expect(try record.wait() == 0)
        let recorded = recordedLocations(in: file)
        #expect(record.errors == "\(recorded.count) locations recorded\n")
        let converted = try LoggedProcess(Products.command, ["convert", file, "--format", "csv"])
        #expect(try converted.wait() == 0 && converted.errors == "\(recorded.count) locations converted\n")
        #expect(converted.output.split(whereSeparator: \.isNewline).count == recorded.count + 1)

        let player = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        let watch = try player.watch()
        try watch.wait("it is open") { _ in true }
        let replay = try player.locctl("replay", file, "--speed", "10")
        #expect(replay.code == 0 && replay.errors == "\(recorded.count) locations replayed\n", "\(replay)")
        try watch.wait("all come") { _ in watch.locations.count == recorded.count }
        for (location, original) in zip(watch.locations, recorded) {
            var played = location
            played.source = original.source
            #expect(played.saysTheSame(as: original))
            #expect(location.source == SourceInformation(name: "simulate", method: .replayed, isSimulated: true))
        }
    }

    @Test func logLevelChangesUntilTheNextReload() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        #expect(try daemon.locctl("log-level", "critical").code == 0)
        #expect(try daemon.locctl("stop").code == 0)
        #expect(!daemon.log.contains("switched"))
        #expect(daemon.log.contains("notice: log level set by=uid:\(geteuid()) level=critical"), "\(daemon.log)")
        #expect(try daemon.locctl("reload").code == 0)
        #expect(try daemon.locctl("start").code == 0)
        #expect(daemon.log.contains("notice: switched on by an administrator"), "\(daemon.log)")
        #expect(!daemon.log.contains("switched off"))
    }
}
