import Glibc
@_spi(Programs) import LocationKit
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing
import TrackHistory

/// The program that reads a file for one command.
@Suite(.timeLimit(.minutes(10))) struct TrackReadingTests {
    /// Whoever has started it may be killed. It ends then although somebody is connected.
    @Test func programEndsWithTheReaderOfItsOutput() async throws {
        let folder = try TemporaryFolder()
        _ = try TrackFile(at: folder("track.gpkg"))
        try #require(mkfifo(folder("gate"), 0o600) == 0)
        let script = "\"$0\" \"$@\" | (read line; echo \"$line\" >&2; read line < \(folder("gate")))"
        let pipeline = try LoggedProcess(
            "sh",
            [
                "-c", script, Products.path(of: "locationd-history"), "--read-only", "--file", folder("track.gpkg"),
                "--socket", folder("history.sock"),
            ])
        try await eventually("it is ready", details: { pipeline.errors }) { pipeline.errors.contains("ready\n") }
        let client = try VarlinkConnection(path: folder("history.sock"), waker: try #require(Waker()))
        let gate = open(folder("gate"), O_RDWR | O_CLOEXEC)
        try #require(gate >= 0 && write(gate, "\n", 1) == 1)
        defer { close(gate) }
        try await eventually("it ends", details: { pipeline.errors }) { pipeline.exitCode != nil }
        withExtendedLifetime(client) {}
    }
}
