import Authorization
import Foundation
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Testing

@testable import locationd

/// A file of decisions that is gone is no sign of a first start.
@Suite(.timeLimit(.minutes(10)))
struct DecisionSealTests {
    private let directory: TemporaryFolder
    private let log = RecordedLog()

    init() throws {
        directory = try TemporaryFolder()
    }

    private func load() -> Authority.Decisions {
        let log = log
        return DecisionStore(directory: directory.path, isSealed: true, logger: Logger(label: "test") { _ in log })
            .load()
    }

    private func isKnown(_ decisions: Authority.Decisions) -> Bool {
        if case .known = decisions { true } else { false }
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: directory(name))
    }

    @Test func firstStartKeepsThatNothingIsDecided() throws {
        #expect(isKnown(load()))
        let bytes = Array(try Data(contentsOf: URL(filePath: directory("decisions.json"))))
        #expect(try DecisionTable(decoding: bytes) == DecisionTable())
        #expect(isKnown(load()) && log.lines.isEmpty)
    }

    @Test func fileThatIsGoneShutsOutAndIsTold() throws {
        _ = load()
        try remove("decisions.json")
        guard case .unreadable(let reason) = load() else {
            Issue.record("the policy alone decides again")
            return
        }
        #expect(reason.contains("decisions.json cannot be read (it is missing)") && reason.contains("decisions.mark"))
        #expect(log.lines.contains { $0.hasPrefix("critical: ") && $0.contains("it is missing") })
        #expect(
            !FileManager.default.fileExists(atPath: directory("decisions.json")), "nothing is made up in its place"
        )
        // As the reason says.
        try remove("decisions.mark")
        #expect(isKnown(load()))
    }

    /// An earlier version has set no mark: its decisions count, and so does that it has none.
    @Test(arguments: [true, false]) func stateOfAnEarlierVersionIsTakenOver(hasDecisions: Bool) throws {
        let denied = DecisionTable(entries: [
            .uid(1000): DecisionEntry(decision: Decision(.denied, by: "uid:0", time: UTCTime(seconds: 1_790_000_000)))
        ])
        let table = hasDecisions ? denied : DecisionTable()
        if hasDecisions { try Data(denied.encoded()).write(to: URL(filePath: directory("decisions.json"))) }
        guard case .known(let read) = load() else {
            Issue.record("everybody is shut out")
            return
        }
        #expect(read == table)
        try remove("decisions.json")
        #expect(!isKnown(load()))
    }

    @Test func whatMayLessenIsRevocation() {
        func table(_ answer: Decision.Answer?, _ accuracy: AccuracyAuthorization = .full) -> DecisionTable {
            guard let answer else { return DecisionTable() }
            let decision = Decision(answer, accuracy: accuracy, by: "uid:0", time: UTCTime(seconds: 1_790_000_000))
            return DecisionTable(entries: [.uid(1000): DecisionEntry(decision: decision)])
        }
        #expect(table(.denied).revokes(table(nil)) && table(.denied).revokes(table(.authorizedAlways)))
        #expect(table(nil).revokes(table(.authorizedAlways)))
        #expect(table(.authorizedAlways, .reduced).revokes(table(.authorizedAlways)))
        #expect(table(.authorizedWhenInUse).revokes(table(.authorizedAlways)))
        #expect(!table(.authorizedAlways).revokes(table(.denied)) && !table(.authorizedAlways).revokes(table(nil)))
        #expect(!table(.denied).revokes(table(.denied)))
    }
}
