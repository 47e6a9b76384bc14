import Authorization
import Foundation
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd

/// What was decided is on the disk before anybody is told so, and nothing else is ever read from there.
@Suite(.timeLimit(.minutes(10)))
struct DecisionStoreTests {
    static let path = "state/decisions.json"
    let log = RecordedLog()

    func store(_ disk: ModelDisk, pause: Duration = .zero) -> DecisionStore {
        let log = log
        return DecisionStore(
            directory: "state", files: disk, pause: pause, logger: Logger(label: "test") { _ in log })
    }

    static func decision(_ answer: Decision.Answer, _ seconds: Int64) -> DecisionEntry {
        DecisionEntry(decision: Decision(answer, by: "uid:0", time: UTCTime(seconds: 1_790_000_000 + seconds)))
    }

    static let denied = DecisionTable(entries: [
        .uid(1000): decision(.denied, 0), .uid(1001): decision(.denied, 1),
    ])
    static let allowed = DecisionTable(entries: [.uid(1000): decision(.authorizedAlways, 2)])
    static let later = DecisionTable(entries: [.unit("a.service"): decision(.authorizedWhenInUse, 3)])

    /// The table with other entries, made from the latest one the store has read.
    func next(_ table: DecisionTable, of store: DecisionStore) throws -> DecisionTable {
        var next = try #require(self.table(store.load()))
        for subject in next.entries.keys { _ = next.reset(subject) }
        for (subject, entry) in table.entries {
            if let decision = entry.decision { next.decide(decision, about: subject) }
        }
        return next
    }

    func disk(_ table: DecisionTable?, pieceSize: Int = .max, ignoring: [ModelDisk.Call] = []) throws
        -> ModelDisk
    {
        ModelDisk(
            DiskContent(try table.map { [Self.path: try $0.encoded()] } ?? [:]), pieceSize: pieceSize,
            ignoring: ignoring)
    }

    /// What a daemon that starts now would know; `nil` for nothing.
    func table(on disk: ModelDisk) -> DecisionTable? { table(store(ModelDisk(disk.content)).load()) }

    func table(_ decisions: Authority.Decisions) -> DecisionTable? {
        if case .known(let table) = decisions { table } else { nil }
    }

    func reason(_ decisions: Authority.Decisions) -> String? {
        if case .unreadable(let reason) = decisions { reason } else { nil }
    }

    @Test func missingFileIsAnEmptyTable() throws {
        let disk = ModelDisk()
        #expect(table(store(disk).load()) == DecisionTable())
        #expect(disk.content.files.isEmpty && log.lines == [], "to read is not to write")
    }

    @Test func keptTableIsReadByTheNextRunOnARealDisk() async throws {
        let folder = try TemporaryFolder()
        let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = DecisionStore(directory: folder.path, logger: silence)
        #expect(table(store.load()) == DecisionTable())
        try await store.persist(next(Self.denied, of: store))
        try await store.persist(next(Self.allowed, of: store))
        #expect(table(DecisionStore(directory: folder.path, logger: silence).load()) == Self.allowed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["decisions.json"])
    }

    /// Runs the store for as long as it takes to end.
    func run(_ store: DecisionStore) async {
        let running = Task { await store.run() }
        running.cancel()
        await running.value
    }
}
