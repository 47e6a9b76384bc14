import Foundation
import ProgramTestSupport
import Testing

/// What `record` leaves behind, and when it says that it cannot.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct RecordCommandTests {
    @Test(arguments: [
        ScriptedReply.status("denied"), ScriptedReply.error("org.locationd.location.TooManyClients", #"{"limit":1}"#),
    ])
    func nothingIsLeftOfARefusal(reply: String) throws {
        let service = try ScriptedService(["Watch": [reply]])
        let file = service.folder("journey.jsonl")
        let answer = try service.locctl("record", file)
        #expect(answer.code != 0 && !FileManager.default.fileExists(atPath: file), "\(answer)")
    }

    @Test func fileIsThereWithTheFirstReply() throws {
        let service = try ScriptedService(["Watch": [ScriptedReply.status("authorizedAlways", continues: true)]])
        let file = service.folder("journey.jsonl")
        let child = try service.start(["record", file])
        try waitUntil("the status is recorded", details: { child.errors }) {
            let lines = text(of: file).split(separator: "\n")
            return lines.count == 2 && lines[0].contains("locationd-recording") && lines[1].contains("status")
        }
        child.signal(SIGINT)
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 0 && child.errors == "0 locations recorded\n")
    }

    @Test func whatKeepsAFileFromBeingMadeIsToldBeforeAnythingIsAsked() throws {
        let service = try ScriptedService(["Watch": [ScriptedReply.status("authorizedAlways", continues: true)]])
        let existing = try service.folder.write("mine", to: "existing")
        let cases = [
            (existing, "File exists; choose another name"),
            (service.folder("missing/journey.jsonl"), "No such file or directory"),
        ]
        for (file, words) in cases {
            let answer = try service.locctl("record", file)
            #expect(answer.code == 1 && answer.errors.contains("cannot create \(file): \(words)"), "\(answer)")
        }
        #expect(service.calls.isEmpty && text(of: existing) == "mine")
    }
}
