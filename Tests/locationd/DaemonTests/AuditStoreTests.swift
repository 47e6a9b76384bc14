import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Synchronization
import Testing

@testable import locationd

/// What is noted is written, kept over restarts, and told to who asks.
@Suite(.timeLimit(.minutes(10)))
struct AuditStoreTests {
    private let directory: TemporaryFolder
    private let log = CollectedLog()
    private let clock = Clock()

    final class Clock: Sendable {
        private let time = Mutex(UTCTime(seconds: 1_772_366_400))

        var now: UTCTime { time.withLock { $0 } }
        func set(_ time: UTCTime) { self.time.withLock { $0 = time } }
        func advance(days: Int64) { set(UTCTime(seconds: now.seconds + days * 86_400)) }
    }

    init() throws {
        directory = try TemporaryFolder()
    }

    private func store(days: Int = 30, size: Int = 1 << 20, disk: AuditDisk = AuditDisk()) -> AuditStore {
        AuditStore(
            directory: directory.path, limits: AuditLimits(days: days, size: size), logger: log.logger,
            clock: { [clock] in clock.now }, disk: disk)
    }

    private func record(_ uid: Int, _ event: AuditRecord.Event = .delivered) -> AuditRecord {
        var record = AuditRecord(event, principal: "uid:\(uid)", time: clock.now)
        record.uid = uid
        return record
    }

    private func uids(_ store: AuditStore, limit: Int? = nil, of principal: String? = nil) async throws -> [Int] {
        try await store.records(AuditParameters(principal: principal, limit: limit)).compactMap(\.uid)
    }

    private func lines() throws -> [String] {
        try String(contentsOfFile: directory("history.jsonl"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    @Test func whatWasNotedBeforeTheCallIsIncludedAndKept() async throws {
        let store = store()
        for uid in 1...3 { store.note(record(uid)) }
        #expect(try await uids(store) == [1, 2, 3])
        #expect(try lines().count == 3)
        #expect(try directory.mode(of: "history.jsonl") == 0o600)
        #expect(try await uids(self.store()) == [1, 2, 3], "after a restart")
        #expect(log.count(of: "the first location of the day was sent to a principal") == 3)
    }

    @Test func newestOfOnePrincipalOrAllAreTold() async throws {
        let store = store()
        for uid in 1...9 { store.note(record(uid % 3)) }
        #expect(try await uids(store, limit: 4) == [0, 1, 2, 0])
        #expect(try await uids(store, limit: 2, of: "uid:1") == [1, 1])
        #expect(try await uids(store, of: "uid:7").isEmpty)
        #expect(try await uids(store, limit: -5) == [0], "a limit is at least one")
        for _ in 1...2 {
            for uid in 1...600 { store.note(record(uid)) }
            _ = try await uids(store)
        }
        #expect(try await uids(store).count == 1000, "unless given")
        #expect(try await uids(store, limit: .max).count == 1209)
    }

    @Test func runWritesWhatIsNotedAndTheLastOfItAtItsEnd() async throws {
        let store = store()
        let running = Task { await store.run() }
        store.note(record(1))
        try await eventually("the first record is written") { (try? lines().count) == 1 }
        store.note(record(2))
        running.cancel()
        await running.value
        #expect(try lines().count == 2)
        #expect(log.entries.allSatisfy { $0.level == .notice })
    }

    @Test func moreThanTheInboxHoldsIsLostAndSaidOnce() async throws {
        let store = store()
        for uid in 1...AuditInbox.capacity + 7 { store.note(record(uid)) }
        #expect(try await uids(store, limit: 10_000) == Array(1...AuditInbox.capacity))
        #expect(log.entries.filter { $0.level == .error }.map { $0.metadata["records"] } == ["7"])
        store.note(record(1))
        #expect(try await uids(store, limit: 1) == [1])
        #expect(log.count(of: "records of the audit are lost") == 1)
    }

    @Test func decisionsAloneAreWaitedForUntilTheDiskHasThem() async throws {
        let forced = Mutex(0)
        let counter = Counter(forced)
        let store = store(disk: AuditDisk(force: { counter.force($0) }))
        for event in [AuditRecord.Event.delivered, .refused, .requested] { store.note(record(1, event)) }
        #expect(try await uids(store).count == 3)
        #expect(counter.count == 0)
        store.note(record(1, .granted))
        _ = try await uids(store)
        #expect(counter.count == 1)
        store.note(record(1, .revoked))
        store.note(record(2, .revoked))
        _ = try await uids(store)
        #expect(counter.count == 2, "once for what is written together")
        store.note(record(1))
        let running = Task { await store.run() }
        running.cancel()
        await running.value
        #expect(counter.count == 3, "at the end")
    }

    private final class Counter: Sendable {
        private let stored: Mutex<Int>
        init(_ mutex: consuming Mutex<Int>) { stored = mutex }
        var count: Int { stored.withLock { $0 } }
        func force(_ descriptor: Int32) -> Int32 {
            stored.withLock { $0 += 1 }
            return fsync(descriptor)
        }
    }

    @Test func fileNeverExceedsItsSize() async throws {
        let store = store(size: 16_384)
        for uid in 1...1000 {
            var record = record(uid)
            record.purpose = String(repeating: "p", count: uid * 37 % 1500)
            store.note(record)
            if uid % 10 == 0 {
                _ = try await uids(store, limit: 1)
                #expect(try Data(contentsOf: URL(filePath: directory("history.jsonl"))).count <= 16_384)
            }
        }
        let kept = try await uids(store)
        #expect(kept.count > 5 && kept == Array((1001 - kept.count)...1000), "the newest, without a gap")
    }

    @Test func oldRecordsGoAtTheFirstNoteOfADay() async throws {
        let store = store()
        store.note(record(1))
        _ = try await uids(store)
        clock.advance(days: 40)
        store.note(record(2))
        #expect(try await uids(store) == [1, 2], "the clock is not believed on its first day")
        clock.advance(days: 1)
        #expect(try await uids(store) == [2])
        store.note(record(3))
        #expect(try await uids(store) == [2, 3])
    }

    @Test func limitsChangeWhileItRuns() async throws {
        let store = store()
        for _ in 1...5 {
            store.note(record(1))
            clock.advance(days: 5)
        }
        #expect(try await uids(store).count == 5)
        store.apply(days: 10, size: 1 << 20)
        #expect(try await uids(store).count == 3)
        store.apply(days: 10, size: 16_384)
        for uid in 1...500 { store.note(record(uid)) }
        _ = try await uids(store)
        #expect(try Data(contentsOf: URL(filePath: directory("history.jsonl"))).count <= 16_384)
        #expect(AuditLimits(days: 0, size: 0) == AuditLimits(days: 1, size: 16_384))
        #expect(AuditLimits(days: .max, size: .max) == AuditLimits(days: 3650, size: 64 << 20))
    }

    @Test func recordsOfEarlierRunsOfTodayAndYesterdayAreRead() async throws {
        let first = store()
        first.note(record(1))
        _ = try await uids(first)
        clock.advance(days: 1)
        let today = clock.now
        first.note(record(2))
        _ = try await uids(first)
        clock.set(UTCTime(seconds: 60))
        first.note(record(3))
        _ = try await uids(first)
        #expect(store().recentRecords().isEmpty, "a clock that was never set tells no days apart")
        clock.set(today)
        first.note(record(4))
        _ = try await uids(first)
        #expect(store().recentRecords().compactMap(\.uid) == [1, 2, 4])
        clock.advance(days: 1)
        #expect(store().recentRecords().compactMap(\.uid) == [2, 4])
        clock.advance(days: 1)
        #expect(store().recentRecords().isEmpty)
        clock.set(today)
        #expect(try await uids(store()) == [1, 2, 3, 4])
    }

    @Test func unreadableLinesAreSaidAtTheStart() async throws {
        try Data("nonsense\n{}\n".utf8).write(to: URL(filePath: directory("history.jsonl")))
        let store = store()
        let running = Task { await store.run() }
        running.cancel()
        await running.value
        #expect(log.entries.map(\.message) == ["lines of the audit cannot be read and are skipped"])
        #expect(log.entries.first?.metadata == ["lines": "2"])
    }
}
