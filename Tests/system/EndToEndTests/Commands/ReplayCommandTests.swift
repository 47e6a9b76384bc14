import Foundation
import ProgramTestSupport
import Testing

/// How `replay` keeps time.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct ReplayCommandTests {
    private static let answer = #"{"parameters":{"sequence":1}}"#

    /// A recording of one location.
    private func recording(in folder: TemporaryFolder) throws -> String {
        let lines = [
            #"{"format":"locationd-recording","version":1}"#, "{\"at\":0,\(ScriptedReply.reducedLocation)}", "",
        ]
        return try folder.write(lines.joined(separator: "\n"), to: "one.jsonl")
    }

    @Test func oneLocationOverAndOverKeepsASecondOfTheRecordingBetween() throws {
        let service = try ScriptedService(["Simulate": [Self.answer]])
        let file = try recording(in: service.folder)
        let begin = ContinuousClock.now
        let child = try service.start(["replay", file, "--loop", "--speed", "4"])
        try waitUntil("five are played", details: { child.errors }) { service.calls.count >= 5 }
        #expect(ContinuousClock.now - begin >= .seconds(1))
        child.signal(SIGINT)
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 0 && child.errors.hasSuffix(" locations replayed\n"), "\(child.errors)")
    }

    @Test func whoEndsItWhileTheServiceIsSilentHearsHowFarItCame() throws {
        let service = try ScriptedService(["Simulate": []])
        let child = try service.start(["replay", try recording(in: service.folder)])
        try waitUntil("one is sent", details: { child.errors }) { service.calls.count == 1 }
        child.signal(SIGINT)
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 0 && child.errors == "0 locations replayed\n", "\(child.errors)")
    }
}
