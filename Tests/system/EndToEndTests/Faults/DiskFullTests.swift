import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A disk that takes nothing more costs what a restart would know, and no client's locations.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct DiskFullTests {
    /// Makes every replacement of the state fail, until the returned path is removed.
    private func obstruct(_ state: String, isTinyDisk: Bool) throws -> String {
        // The new content is written beside the old one, perhaps just now.
        let new = state + "/state.json.new"
        guard isTinyDisk else {
            // A folder of that name is in its way.
            try waitUntil("the name is free") { mkdir(new, 0o700) == 0 }
            return new
        }
        try TinyDisk.fill(state)
        // A replacement that was under way has given back what the old content took.
        try waitUntil("nothing is being written") { !FileManager.default.fileExists(atPath: new) }
        return try TinyDisk.fill(state)
    }

    @Test func fixesGoOnAndTheReasonIsTold() throws {
        let folder = try TemporaryFolder()
        let disk = try TinyDisk(on: folder.makeFolder("state"))
        let daemon = try DaemonProcess(Settings.simulator(), in: folder)
        let obstacle = try obstruct(daemon.state, isTinyDisk: disk != nil)
        let words = disk != nil ? "No space left on device" : "Is a directory"

        let watch = try daemon.watch()
        try watch.awaitLocation()
        try daemon.awaitLog("the state cannot be persisted; a restart loses it")
        #expect(daemon.log.contains("state.json.new: \(words)"))
        try watch.awaitLocation(after: watch.replies.count + 5)
        #expect(watch.locations.isComplete && watch.end == nil)

        // There is room in reserve for the switch's being thrown off, unless something else than room is missing.
        let stop = try daemon.locctl("stop")
        #expect(stop.code == (disk != nil ? 0 : 1))
        if disk == nil {
            #expect(stop.errors.contains(words) && stop.errors.contains("a restart loses it"), "\(stop.errors)")
        }
        #expect(try daemon.status().enabled == false, "it is switched off all the same")
        try TinyDisk.fill(daemon.state)
        let start = try daemon.locctl("start")
        #expect(start.code == 1)
        #expect(start.errors.contains(words) && start.errors.contains("a restart loses it"), "\(start.errors)")
        try watch.awaitLocation(after: watch.replies.count + 1)

        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try daemon.locctl("stop").code == 0)
        try daemon.kill()
        try daemon.start()
        #expect(try daemon.status().enabled == false)
        try daemon.stop()
        _ = disk
    }

    /// What was taken away does not come back with a crash, though the disk has no room for what takes it away.
    @Test func denialAndSwitchingOffSurviveACrashOnAFullDisk() throws {
        let folder = try TemporaryFolder()
        guard let disk = try TinyDisk(on: folder.makeFolder("state")) else { return }
        let daemon = try DaemonProcess(Settings.simulator(), in: folder)
        try daemon.decide(.authorizedAlways, "uid:61234")
        _ = try obstruct(daemon.state, isTinyDisk: true)
        try daemon.decide(.denied, "uid:61234")
        try TinyDisk.fill(daemon.state)
        #expect(try daemon.locctl("stop").code == 0)
        try daemon.kill()
        try daemon.start()
        #expect(try daemon.status().enabled == false)
        #expect(try daemon.connection(uid: 61_234).status().authorization == .denied)
        try daemon.stop()
        withExtendedLifetime(disk) {}
    }

    @Test func brokenStateIsSetAside() throws {
        let folder = try TemporaryFolder()
        let state = try folder.makeFolder("state")
        try folder.write("{\"version\":1,\"ena", to: "state/state.json")
        let daemon = try DaemonProcess(Settings.simulator(), in: folder)
        #expect(daemon.log.contains("the persisted state cannot be used"))
        #expect(text(of: state + "/state.json.unusable") == "{\"version\":1,\"ena")
        #expect(try daemon.status().enabled == false, "who switched it off must not find it on")
        #expect(try daemon.locctl("start").code == 0)
        let sequence = try daemon.location(LocationRequest()).value.sequence
        #expect(sequence > Int64(Date().timeIntervalSince1970) * 60, "above whatever an earlier run can have used")
    }
}
