import ProgramTestSupport
import Testing
import TrackHistory

/// The file of locationd-history after a loss of power at any moment.
@Suite(.timeLimit(.minutes(30))) struct HistoryPowerLossTests {
    private static let words = "locations are in the track"

    /// The file opens, and has what the program had said to be written; the transaction that was under way is missing
    /// whole or there whole. A disk on which nothing is synced shows that a loss is seen.
    @Test func whatIsSaidToBeWrittenIsThere() async throws {
        let programs = try await RecordedPrograms()
        let path = programs.recorder.folder + "/track.gpkg"
        let configuration = try programs.folder.write("", to: "history.toml")
        // A start brings the former journal into the file and removes it.
        for _ in 0..<3 {
            try await programs.run(
                "locationd-history", ["--config", configuration, "--file", path], until: Self.words, times: 40)
        }
        try programs.recorder.expectNoLoss(marker: Self.words, Self.problem)
    }

    private static func problem(_ losses: PowerLosses, _ loss: PowerLosses.Loss) throws -> String? {
        let path = loss.folder + "/track.gpkg"
        // The file as the program has it when it is started again.
        let file = try TrackFile(at: path)
        _ = try file.memory()
        let rows = try DatabaseContent.rows(at: path)
        guard rows.count(where: { $0.hasPrefix("gpkg_contents ") }) == 4 else { return "a layer is missing" }
        guard !loss.messages.isEmpty else { return nil }
        if try rows == losses.rows(of: "track.gpkg", in: loss.said) { return nil }
        if try rows == losses.rows(of: "track.gpkg", in: loss.before) { return nil }
        return "the track is neither what was said to be written nor what was being written"
    }
}
