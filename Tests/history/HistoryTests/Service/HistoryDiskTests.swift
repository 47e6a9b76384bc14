import ClientTestSupport
import Glibc
import ProgramTestSupport
import Testing

/// A disk that does not respond or that may not be written is said, and the daemon goes on.
@Suite(.timeLimit(.minutes(10))) struct HistoryDiskTests {
    @Test(.enabled(if: HungDisk.isPossible, "it takes a file system of the test's own"))
    func hungDiskIsSaidAndLosesNothing() async throws {
        let machine = try await HistoryMachine("[track]\ninterval = 1\n")
        let disk = try HungDisk(on: machine.folder.makeFolder("disk"), image: machine.folder("image"))
        let history = try await machine.start(file: machine.folder("disk/track.gpkg"))
        func newest() -> String? { HistoryMachine.changes(history).last { $0 != "-" }.map { String($0.dropFirst()) } }
        try await eventually("it writes", details: { history.errors }) { newest() != nil }
        try disk.freeze()
        try await eventually("it says so", details: { history.errors }) {
            history.errors.contains("the track cannot be written now")
        }
        #expect(history.errors.contains("track.gpkg: the disk does not respond; see `dmesg`"), "\(history.errors)")
        let before = try #require(newest())
        _ = try await blocking { try machine.daemon.statistics() }
        try disk.thaw()
        try await eventually("it goes on", details: { history.errors }) {
            history.errors.contains("the track is recorded again lost=0")
        }
        // One each second of the ten in which the disk did not respond: the first write has what was under way, the
        // next the others.
        try await eventually("what waited is written", details: { history.errors }) {
            HistoryMachine.changes(history).count { $0.hasPrefix("+") && $0 > "+" + before } >= 8
        }

        try disk.freeze()
        try await eventually("a write hangs") { HungDisk.holds(history) }
        history.signal(SIGTERM)
        try await eventually("it gives up", details: { history.errors }) {
            history.errors.contains("the program ends without having written all of the track")
        }
        // What waits for the disk cannot be ended before it responds.
        try disk.thaw()
        #expect(try await blocking { try history.wait() } == 1)
    }

    @Test(.enabled(if: Privileges.mayMount, "mounting takes CAP_SYS_ADMIN"))
    func diskThatMayNotBeWrittenIsSaid() async throws {
        let machine = try await HistoryMachine()
        let history = try await machine.start()
        try await eventually("it writes", details: { history.errors }) { !HistoryMachine.changes(history).isEmpty }
        history.signal(SIGTERM)
        #expect(try await blocking { try history.wait() } == 0)
        let disk = try machine.folder.makeFolder("disk")
        let script = """
            mount -t tmpfs none \(disk) && cp \(machine.path)* \(disk) && mount -o remount,ro \(disk) && exec "$@"
            """
        let outcome = try await ChildProcess(
            "unshare",
            [
                "--mount", "--propagation", "private", "bash", "-c", script, "bash",
                Products.path(of: "locationd-history"), "--config", machine.folder("history.toml"), "--file",
                disk + "/track.gpkg",
            ]
        ).outcome()
        #expect(outcome.code == 1 && outcome.output.contains("may be written"), "\(outcome)")
    }
}
