import ClientTestSupport
import Foundation
import GRDB
import ProgramTestSupport

/// A built daemon that simulates a journey, and the built locationd-history over it, with a file of its own.
final class HistoryMachine: Sendable {
    let daemon: DaemonProcess
    let folder: TemporaryFolder

    /// Five fixes a second.
    private static let journey = """
        [[sources]]
        kind = "simulator"
        rate = 5
        latitude = -0.22
        longitude = -78.5125
        """

    /// - Parameter configuration: the program's.
    init(_ configuration: String = "") async throws {
        folder = try TemporaryFolder()
        daemon = try await DaemonProcess.started(Self.journey)
        try folder.write(configuration, to: "history.toml")
    }

    var path: String { folder("track.gpkg") }

    /// Starts the program, and waits until it has its file.
    func start(file: String? = nil, environment: [String: String] = [:]) async throws -> LoggedProcess {
        let history = try LoggedProcess(
            Products.path(of: "locationd-history"),
            [
                "--config", folder("history.toml"), "--daemon", daemon.control, "--file", file ?? path,
                "--include-simulated", "--log-level", "debug",
            ], environment: environment)
        try await eventually("it records", details: { history.errors }) { history.errors.contains("recording") }
        return history
    }

    /// What the program has said of points that it has written: `+` and the moment of one, or `-` for the newest one.
    static func changes(_ history: LoggedProcess) -> [String] {
        // The last line may not have been written to its end.
        history.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast().flatMap { line in
            line.firstMatch(of: /debug: locations are in the track changes="?([^"]*)"?/)?.1.split(separator: " ") ?? []
        }.map(String.init)
    }

    /// The moments of the points in the file, in the order in which they were written.
    ///
    /// - Throws: what is wrong if the file is damaged.
    func times() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            let verdict = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            guard verdict == ["ok"] else { throw Failure("the file is damaged: \(verdict)") }
            return try String.fetchAll(database, sql: "SELECT time FROM points ORDER BY id")
        }
    }
}
