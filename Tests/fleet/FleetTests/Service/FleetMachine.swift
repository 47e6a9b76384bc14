import ClientTestSupport
import Foundation
import GRDB
import Glibc
import ProgramTestSupport

/// A built daemon that simulates a journey, and the built locationd-fleet over it, with an outbox of its own.
final class FleetMachine: Sendable {
    let daemon: DaemonProcess
    let folder: TemporaryFolder
    /// `nil` for none.
    private let broker: String?

    /// Five fixes a second, each of which is published.
    static let journey = """
        [delivery]
        stale-after = 0.5
        linger = 0.5
        [[sources]]
        kind = "simulator"
        rate = 5
        latitude = -0.22
        longitude = -78.5125
        """

    /// - Parameters:
    ///   - broker: its address.
    ///   - further: tables of the configuration, beside `[reports]`.
    convenience init(broker: String?, _ further: String = "") async throws {
        try await self.init(broker: broker) { _ in further }
    }

    /// - Parameter further: the same, with paths in the machine's folder.
    init(broker: String?, _ further: (TemporaryFolder) -> String) async throws {
        self.broker = broker
        folder = try TemporaryFolder()
        daemon = try await DaemonProcess.started(Self.journey)
        try folder.write("[reports]\ninterval = 0\ndistance = 0\n\(further(folder))\n", to: "fleet.toml")
    }

    var outboxPath: String { folder("outbox.sqlite") }

    /// Starts the program.
    func start(_ flags: [String] = [], environment: [String: String] = [:]) throws -> LoggedProcess {
        try LoggedProcess(
            Products.path(of: "locationd-fleet"),
            [
                "--config", folder("fleet.toml"), "--daemon", daemon.control, "--user", "anna", "--device", "boat",
                "--outbox", outboxPath, "--include-simulated", "--log-level", "debug",
            ] + (broker.map { ["--broker", $0] } ?? []) + flags, environment: environment)
    }

    /// The `_id` of each location that was inserted into the outbox, as the log says.
    static func insertedIDs(_ fleet: LoggedProcess) -> [String] {
        // The last line may not have been written to its end.
        fleet.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            line.wholeMatch(of: /debug: a location is in the outbox id=(\S+)/).map { String($0.1) }
        }
    }

    /// The `_id` of each message in the outbox, by a reader that does not lock it. A file that was never made has none.
    func waitingIDs() throws -> [String] {
        guard FileManager.default.fileExists(atPath: outboxPath) else { return [] }
        let queue = try DatabaseQueue(path: outboxPath)
        defer { try? queue.close() }
        return try queue.read { database in
            guard try database.tableExists("messages") else { return [] }
            return try Data.fetchAll(database, sql: "SELECT payload FROM messages ORDER BY id").compactMap { payload in
                try (JSONSerialization.jsonObject(with: payload) as? [String: Any])?["_id"] as? String
            }
        }
    }
}
