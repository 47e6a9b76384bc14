import Delivery
import Foundation
import ProgramTestSupport
import Testing

/// The outbox of locationd-fleet after a loss of power at any moment.
@Suite(.timeLimit(.minutes(30))) struct FleetPowerLossTests {
    private static let words = "a location is in the outbox"

    /// The outbox opens, and has each message that the program had said to be in it and that the broker did not yet
    /// have. A disk on which nothing is synced shows that a loss is seen.
    @Test func whatIsSaidToBeInTheOutboxIsThere() async throws {
        let programs = try await RecordedPrograms()
        let broker = try Mosquitto()
        let path = programs.recorder.folder + "/outbox.sqlite"
        let arguments = [
            "--config", try programs.folder.write("[reports]\ninterval = 0\ndistance = 0\n", to: "fleet.toml"),
            "--broker", broker.address, "--user", "anna", "--device", "boat", "--outbox", path,
        ]
        // Messages that wait, and then messages that are removed too.
        try await programs.run("locationd-fleet", arguments, until: Self.words, times: 60)
        try await broker.start()
        try await programs.run("locationd-fleet", arguments, until: Self.words, times: 60)
        try programs.recorder.expectNoLoss(marker: Self.words, Self.problem)
    }

    private static func problem(_ losses: PowerLosses, _ loss: PowerLosses.Loss) throws -> String? {
        let path = loss.folder + "/outbox.sqlite"
        // The outbox as the program has it when it is started again; it locks the file.
        do { _ = try MessageOutbox(path: path, limit: 1 << 26) }
        let found = identifiers(try DatabaseContent.rows(at: path))
        let said = loss.messages.compactMap { $0.firstMatch(of: /id=(\S+)/).map { String($0.1) } }
        guard !said.isEmpty else { return nil }
        let missing = Set(said).intersection(identifiers(try losses.rows(of: "outbox.sqlite", in: loss.before)))
            .subtracting(found)
        return missing.isEmpty ? nil : "\(missing.count) messages are missing"
    }

    private static func identifiers(_ rows: [String]) -> Set<String> {
        Set(rows.compactMap { $0.firstMatch(of: /"_id":"([^"]+)"/).map { String($0.1) } })
    }
}
