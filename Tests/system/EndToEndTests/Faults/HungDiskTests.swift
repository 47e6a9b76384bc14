import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// A disk that does not answer keeps nobody waiting: neither who watches, nor who ends the daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct HungDiskTests {
    @Test(.enabled(if: HungDisk.isPossible, "it takes a file system of the test's own"))
    func daemonServesAndEnds() throws {
        let folder = try TemporaryFolder()
        let disk = try HungDisk(on: folder.makeFolder("state"), image: folder("disk"))
        let daemon = try DaemonProcess(Settings.simulator(), in: folder)
        let watch = try daemon.watch()
        try watch.awaitLocation()
        try disk.freeze()

        // It is to be kept, and its caller told so.
        let waiting = try UnixSocket(path: daemon.control)
        try waiting.write(Array(#"{"method":"org.locationd.admin.Start","parameters":{}}"#.utf8) + [0])
        try waitUntil("fixes go on", within: 60) { watch.locations.count > 25 }
        #expect(watch.locations.isComplete && watch.dropped == 0 && watch.end == nil)
        #expect(try daemon.statistics().clients >= 2)

        daemon.process.signal(SIGTERM)
        try waitUntil("the watch is let go", within: 60) { watch.end != nil }
        #expect(watch.isFinal && watch.statuses.last?.reason == "stopping")
        #expect(daemon.process.exitCode == nil, "it still hopes for the disk")
        try daemon.awaitLog("the daemon exits without having written all state", within: 90)
        // What waits for the disk cannot be ended before it answers.
        try disk.thaw()
        #expect(try daemon.process.wait(within: 60) == 1)
        _ = disk
    }
}
