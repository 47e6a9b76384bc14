import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// What outlives the daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct DaemonRestartTests {
    @Test func numbersGoOnRisingOverRestarts() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        var last: Int64 = 0
        for ending in [daemon.kill, { try daemon.stop() }, {}] {
            let watch = try daemon.watch()
            // The opening may show the last location that was kept, under the number it has.
            let first = try watch.awaitLocation(after: 1).sequence
            #expect(first > last)
            try watch.awaitLocation(after: watch.replies.count)
            #expect(watch.locations.risesStrictly)
            last = try #require(watch.locations.last).sequence
            try ending()
            if daemon.process.exitCode != nil { try daemon.start() }
        }
    }

    @Test func switchStaysOffOverRestarts() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.watch()
        try watch.awaitLocation()
        #expect(try daemon.locctl("stop").code == 0)
        try watch.wait("the watch is told") { $0.status?.enabled == false }
        for ending in [daemon.kill, { try daemon.stop() }] {
            try ending()
            try daemon.start()
            #expect(try daemon.status().enabled == false)
            #expect(throws: LocationError.disabled) { try daemon.location(LocationRequest(maximumAge: 1e6)) }
            let watch = try daemon.watch()
            let opening = try watch.wait("the watch opens") { _ in true }
            #expect(opening.status?.enabled == false && opening.location == nil)
        }
        #expect(try daemon.locctl("start").code == 0)
        #expect(try daemon.locctl("get").code == 0)
        try daemon.stop()
        try daemon.start()
        #expect(try daemon.status().enabled)
    }

    @Test func lastLocationIsKeptWithItsAge() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let before = try daemon.location(LocationRequest())
        try daemon.stop()
        try daemon.start()
        // It has aged while nobody kept it.
        let kept = try daemon.location(LocationRequest(maximumAge: 3600, passive: true))
        #expect(kept.value.sequence >= before.value.sequence)
        #expect(kept.value.source == before.value.source)
        #expect(kept.age > 0.01 && kept.age < 600)
        #expect(abs(kept.value.monotonicTime.seconds(since: before.value.monotonicTime)) < 5)
        try waitUntil("it is stale") { try daemon.status().fixAge ?? 0 > 0.6 }
        // Nobody gets it who has not said that it may be so old.
        #expect(throws: LocationError.self) { try daemon.location(LocationRequest(maximumAge: 0, passive: true)) }
        let passive = try daemon.watch { $0.passive = true }
        let opening = try passive.wait("the watch opens") { _ in true }
        #expect(opening.location == nil)
        #expect(try #require(opening.status?.fixAge) >= kept.age)
    }

    @Test func stateIsForTheDaemonAlone() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        _ = try daemon.location(LocationRequest())
        try daemon.stop()
        var status = stat()
        for file in ["state.json", "history.jsonl"] {
            #expect(stat(daemon.state + "/" + file, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(stat(daemon.state, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.state)
        let kept = [
            "decisions.json", "decisions.mark", "decisions.reserve", "history.jsonl", "lock", "state.json",
            "state.reserve",
        ]
        #expect(names.sorted() == kept, "nothing half-written is left")
    }
}
