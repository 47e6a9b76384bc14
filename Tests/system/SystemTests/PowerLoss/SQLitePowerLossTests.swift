import Foundation
import ProgramTestSupport
import Testing

/// That the simulated loss of power finds what SQLite's settings are known to lose, and nothing else.
@Suite(.timeLimit(.minutes(10))) struct SQLitePowerLossTests {
    private static let script = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1], isolation_level=None)
        database.execute("PRAGMA journal_mode = " + sys.argv[2])
        database.execute("PRAGMA synchronous = " + sys.argv[3])
        database.execute("PRAGMA wal_autocheckpoint = 20")
        database.execute("CREATE TABLE IF NOT EXISTS numbers (number INTEGER, filling BLOB)")
        for number in range(60):
            database.execute("INSERT INTO numbers VALUES (?, zeroblob(300))", (number,))
            print("written", number, file=sys.stderr, flush=True)
        """

    @Test(
        arguments: [
            ("WAL", "FULL", false), ("WAL", "NORMAL", true), ("WAL", "OFF", true), ("DELETE", "EXTRA", false),
            ("DELETE", "OFF", true),
        ])
    func settingsLoseWhatTheyAreKnownToLose(journal: String, synchronous: String, loses: Bool) async throws {
        let place = try TemporaryFolder()
        let recorder = try await DiskRecorder(in: place)
        let path = recorder.folder + "/numbers"
        let writer = try LoggedProcess(
            "/usr/bin/python3", ["-c", Self.script, path, journal, synchronous], environment: recorder.environment)
        #expect(try await blocking { try writer.wait() } == 0, "\(writer.errors)")
        let events = try recorder.events()
        try recorder.expectComplete(events)
        let losses = PowerLosses(events, of: recorder.folder, marker: "written")
        let failures = try losses.failures(100) { loss in
            guard !loss.messages.isEmpty else { return nil }
            let rows = try DatabaseContent.rows(at: loss.folder + "/numbers").count { $0.hasPrefix("numbers ") }
            return (loss.messages.count...loss.messages.count + 1).contains(rows)
                ? nil : "\(rows) rows, but \(loss.messages.count) were written"
        }
        #expect(failures.isEmpty == !loses, "\(failures.count): \(failures.prefix(3))")
    }
}
