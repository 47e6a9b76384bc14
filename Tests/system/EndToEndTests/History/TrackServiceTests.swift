import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing
import TrackHistory

/// The built locationd-history over a daemon, a real gpsd and an invented receiver.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct TrackServiceTests {
    private let folder: TemporaryFolder
    private let path: String
    private let receiver: Receiver
    private let gpsd: GPSD
    private let daemon: DaemonProcess

    init() throws {
        folder = try TemporaryFolder()
        path = folder("track.gpkg")
        receiver = try Receiver()
        gpsd = try GPSD([receiver.path])
        daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
    }

    private func history(_ arguments: String...) throws -> LoggedProcess {
        let configuration = try folder.write("", to: "history.toml")
        let history = try LoggedProcess(
            Products.path(of: "locationd-history"),
            ["--config", configuration, "--daemon", daemon.control, "--file", path] + arguments)
        try waitUntil("the file is there", details: { history.errors }) { history.errors.contains("recording") }
        return history
    }

    private func recorded(includingSimulated: Bool = false) throws -> [TrackPoint] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        var selection = TrackReader.Selection()
        selection.includesSimulated = includingSimulated
        return try TrackReader(at: path).points(selection, limit: 10_000).points
    }

    @Test func trackIsWhatTheDaemonSays() throws {
        #expect(gpsd.clients == 0, "nobody wants a fix")
        let watch = try daemon.watch()
        let history = try history()
        let points = try waitUntil("there are points", details: { history.errors }) {
            let points = try recorded()
            return points.count >= 2 ? points : nil
        }
        #expect(try daemon.locctl("clients").output.contains("track history"))
        for point in points {
            let location = try #require(
                try watch.wait("the same location") { update in
                    // gpsd may report one moment twice, at first without an accuracy.
                    update.location?.value.timestamp == point.time
                        && update.location?.value.horizontalAccuracy == point.location.horizontalAccuracy
                }.location?.value)
            #expect(point.location.coordinate == location.coordinate && point.location.speed == location.speed)
        }
        #expect(try TrackReader(at: path).trips().count == 1)
        history.signal(SIGTERM)
        #expect(try history.wait() == 0)
        #expect(!history.errors.contains("52."), "positions are not logged: \(history.errors)")
    }

    @Test func metricsAreWritten() throws {
        let metrics = folder("history.prom")
        let configuration = try folder.write("[metrics]\ntextfile = \"\(metrics)\"\ninterval = 1\n", to: "metrics.toml")
        let history = try history("--config", configuration)
        try waitUntil("points are counted", details: { history.errors + text(of: metrics) }) {
            Promtool.value("locationd_history_written_points_total", in: text(of: metrics)) ?? 0 >= 2
        }
        let written = text(of: metrics)
        #expect(try Promtool.complaints(about: written) == "")
        #expect(Promtool.value("locationd_history_lost_locations_total", in: written) == 0)
        #expect(Promtool.value("locationd_history_pruned_points_total", in: written) == 0)
        #expect(Promtool.value("locationd_history_waiting_changes", in: written) != nil)
        #expect(try #require(Promtool.value("locationd_history_file_bytes", in: written)) > 0)
        #expect(try #require(Promtool.value("locationd_history_last_location_age_seconds", in: written)) < 60)
        history.signal(SIGTERM)
        #expect(try history.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: metrics))
    }

    @Test func daemonsRestartIsAPauseAlone() throws {
        let history = try history()
        try waitUntil("there are points", details: { history.errors }) { try !recorded().isEmpty }
        try daemon.kill()
        try waitUntil("it says so", details: { history.errors }) { history.errors.contains("no locations come") }
        let last = try #require(try recorded().last?.time)
        try daemon.start()
        try waitUntil("it goes on", details: { history.errors }) { try recorded().last.map { $0.time > last } }
        #expect(history.exitCode == nil)
    }

    /// It starts no receiver, and records what comes for others.
    @Test func passiveRecordingStartsNoReceiver() throws {
        let passive = try folder.write("[track]\npassive = true\n", to: "passive.toml")
        let history = try history("--config", passive)
        try waitUntil("it watches") { try daemon.locctl("clients").output.contains("track history") }
        #expect(gpsd.clients == 0)
        let watch = try daemon.watch()
        _ = try watch.wait("a location") { $0.location != nil }
        try waitUntil("it is recorded", details: { history.errors }) { try !recorded().isEmpty }
    }

    @Test func simulatedLocationsAreRecordedOnRequestAlone() throws {
        let simulated = try DaemonProcess("[[sources]]\nkind = \"simulator\"\n")
        let process = try history("--include-simulated", "--daemon", simulated.control)
        try waitUntil("there are points", details: { process.errors }) {
            try !recorded(includingSimulated: true).isEmpty
        }
        #expect(try recorded().isEmpty)
    }

    @Test(.enabled(if: getuid() == 0, "a disk of its own takes root"))
    func fullDiskLosesNothing() throws {
        let disk = folder("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let script = "mount -t tmpfs -o size=1m none \(disk) && exec \"$@\""
        let history = try LoggedProcess(
            "unshare",
            [
                "--mount", "--propagation", "private", "bash", "-c", script, "bash",
                Products.path(of: "locationd-history"), "--daemon", daemon.control, "--file", disk + "/track.gpkg",
            ])
        func onDisk(_ command: String) throws -> String {
            let process = try LoggedProcess("nsenter", ["-t", "\(history.pid)", "-m", "bash", "-c", command])
            _ = try process.wait()
            return process.output
        }
        let count =
            "python3 -c \"import sqlite3; print(sqlite3.connect('\(disk)/track.gpkg').execute("
            + "'SELECT max(time) FROM points').fetchone()[0])\""
        let first = try waitUntil("it records", details: { history.errors }) {
            let time = try onDisk(count)
            return time.hasPrefix("2") ? time : nil
        }
        _ = try onDisk("dd if=/dev/zero of=\(disk)/filler bs=1k")
        try waitUntil("it says so", details: { history.errors }) {
            history.errors.contains("the track cannot be written now") && history.errors.contains("free some space")
        }
        _ = try onDisk("rm \(disk)/filler")
        try waitUntil("it records again", details: { history.errors }) {
            history.errors.contains("the track is recorded again") && history.errors.contains("lost=0")
        }
        #expect(try onDisk(count) > first)
        #expect(history.exitCode == nil)
    }

    @Test func whatIsWrongIsSaidAtOnce() async throws {
        let wrong = try folder.write("[track]\ngap = 1\n", to: "wrong.toml")
        let text = try folder.write(String(repeating: "no database ", count: 100), to: "text")
        let program = Products.path(of: "locationd-history")
        for (arguments, code, words) in [
            (["--config", wrong, "--check-config"], Int32(2), "wrong.toml:2: track.gap: 1 is out of range"),
            (["--config", folder("absent.toml")], 2, "does not exist; check the path after --config"),
            (["--flie", "/a"], 2, "Did you mean '--file'? See locationd-history --help"),
            (["--file", text], 1, "text: it is not a GeoPackage; name another file"),
            (["--file", folder("absent/a")], 1, "it cannot be opened; check that its directory exists"),
            (["--version"], 0, "locationd-history"),
        ] {
            let outcome = try await ChildProcess(program, arguments).outcome()
            #expect(outcome.code == code, "\(arguments) \(outcome.output)")
            #expect(outcome.output.contains(words), "\(arguments) \(outcome.output)")
        }
    }
}
