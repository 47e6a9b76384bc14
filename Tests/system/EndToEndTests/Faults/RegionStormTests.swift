import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing
import Varlink

/// Clients that change what is kept as fast as they can.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct RegionStormTests {
    /// Whatever the moment at which the daemon is killed, what it answered is kept.
    @Test func whatWasAnsweredOutlivesAKill() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        // So much that a writing takes a while.
        var answered: Set<String> = []
        var regions = (0..<300).map { Region.circle("old \($0)", around: .home, radius: 300) }
        for round in 0..<4 {
            let monitor = try MonitorConnection(daemon.connection(), name: "mine \(round)", regions: regions)
            try monitor.await("old 0 unknown")
            regions = []
            let storm = try (0..<4).map { _ in try daemon.connection() }
            var sent = [Int](repeating: 0, count: storm.count)
            var replies = sent
            let enough = Int.random(in: 5...60, using: &random)
            while replies.reduce(0, +) < enough {
                for (number, connection) in storm.enumerated() {
                    let names = (0..<2).map { "\(round) \(number) \(sent[number] + $0)" }
                    for name in names {
                        let region = Region.circle(name, around: .home, radius: 300)
                        try connection.send(
                            LocationInterface.Method.changeRegions,
                            ChangeRegionsParameters(name: "mine \(round)", add: [region]))
                    }
                    sent[number] += names.count
                    let came = [try connection.next()] + (try connection.waiting())
                    for reply in came { #expect(reply.error == nil) }
                    for index in 0..<came.count { answered.insert("\(round) \(number) \(replies[number] + index)") }
                    replies[number] += came.count
                }
            }
            try daemon.kill()
            for (number, connection) in storm.enumerated() {
                let last = try connection.awaitEnd().filter { $0.error == nil }.count
                for index in 0..<last { answered.insert("\(round) \(number) \(replies[number] + index)") }
            }
            try daemon.start()
            let kept = Set(try daemon.monitors().flatMap { $0.regions.map(\.identifier) })
            #expect(answered.subtracting(kept).isEmpty, "SEED=\(seed)")
            regions = [.circle("old 0", around: .home, radius: 300)]
        }
        #expect(answered.count >= 20)
    }

    @Test func administratorRemovesWhatOthersKeep() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        #expect(try daemon.locctl("regions", "--all").output == "No user has persisted monitors.\n")
        let monitor = try MonitorConnection(daemon.connection(), name: "mine", regions: [.home])
        try monitor.await("home unknown")
        let me = "uid:\(getuid())"
        let lines = try daemon.locctl("regions", "--all").lines
        #expect(lines.count == 2 && lines.last?.contains("mine") == true && lines.last?.hasPrefix(me) == true)
        let wrong = try daemon.locctl("forget-monitor", me, "--name", "other")
        #expect(wrong.code == 1 && wrong.errors.contains("has no persisted monitor under the name other"))
        let done = try daemon.locctl("forget-monitor", me)
        #expect(done.code == 0 && done.output.hasPrefix("1 monitor of \(me)"))
        #expect(try daemon.monitors().isEmpty)
        try daemon.awaitLog("an administrator removed named monitors of a user")
        #expect(try daemon.locctl("forget-monitor", "unit:a.service").code == 2)
        #expect(try daemon.locctl("regions", "--all", "--remove", "mine").code == 2)
    }

    /// 200 polygons do not fit into one call.
    @Test func fileOfManyPolygonsIsKeptWhole() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let folder = try TemporaryFolder()
        func ring(_ number: Int, radius: Double) -> String {
            let corners = (0..<60).map { corner in
                Coordinate.home.coordinate(atDistance: radius + Double(number), bearing: Double(corner) * 6)
            }
            let text = (corners + [corners[0]]).map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
            return
                #"{"type":"Feature","id":"ring \#(number)","geometry":{"type":"Polygon","coordinates":[[\#(text)]]}}"#
        }
        func write(_ rings: [String]) throws {
            try folder.write(
                #"{"type":"FeatureCollection","features":[\#(rings.joined(separator: ","))]}"#, to: "rings.json")
        }
        try write((0..<200).map { ring($0, radius: 500) })
        for count in [200, 150] {
            if count == 150 { try write((0..<150).map { ring($0, radius: 700) }) }
            let child = try daemon.start(
                "monitor-region", ["--geojson", folder("rings.json"), "--name", "rings"])
            try waitUntil("all are monitored", details: { child.errors }) {
                (0..<count).allSatisfy { child.output.contains("ring \($0)  ") }
            }
            child.signal(SIGTERM)
            _ = try child.wait()
            #expect(try daemon.monitors().first?.regions.count == count)
        }
        let unnamed = try daemon.locctl("monitor-region", "--geojson", folder("rings.json"))
        #expect(unnamed.code == 2 && unnamed.errors.contains("--name"))
    }
}
