import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Synchronization
import Testing

@_spi(Programs) @testable import locationd

/// A full disk and lost power cost no more than they must.
@Suite(.timeLimit(.minutes(10)))
struct AuditTroubleTests {
    private let directory: TemporaryFolder
    private let log = CollectedLog()
    private let now = UTCTime(seconds: 1_772_366_400)
    private let path: String

    init() throws {
        directory = try TemporaryFolder()
        path = directory("history.jsonl")
    }

    /// A disk with room for so many bytes more.
    private final class SmallDisk: Sendable {
        private let room: Mutex<Int>
        init(room: Int) { self.room = Mutex(room) }
        func setRoom(_ room: Int) { self.room.withLock { $0 = room } }

        var calls: AuditDisk {
            AuditDisk(write: { descriptor, bytes in
                self.room.withLock { room in
                    guard room > 0 else {
                        errno = ENOSPC
                        return -1
                    }
                    let count = write(descriptor, bytes.baseAddress, min(room, bytes.count))
                    room -= max(0, count)
                    return count
                }
            })
        }
    }

    private func store(disk: AuditDisk = AuditDisk()) -> AuditStore {
        AuditStore(directory: directory.path, logger: log.logger, clock: { [now] in now }, disk: disk)
    }

    private func record(_ uid: Int) -> AuditRecord {
        var record = AuditRecord(.delivered, principal: "uid:\(uid)", time: now)
        record.uid = uid
        return record
    }

    private func line(_ uid: Int) -> [UInt8] { (record(uid).line ?? []) + [0x0A] }

    private func uids(_ store: AuditStore) async throws -> [Int] {
        try await store.records(AuditParameters(limit: 10_000)).compactMap(\.uid)
    }

    private func content() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    @Test func fullDiskIsSaidOnceAndNotesResume() async throws {
        let disk = SmallDisk(room: line(1).count + 20)
        let store = store(disk: disk.calls)
        for uid in 1...3 {
            store.note(record(uid))
            #expect(try await uids(store) == Array(1...uid), "what could not be written is told all the same")
        }
        #expect(try content() == line(1), "nothing half-written is left")
        let errors = log.entries.filter { $0.level == .error }
        #expect(errors.count == 1 && errors.first?.metadata["reason"]?.hasSuffix("No space left on device") == true)
        disk.setRoom(.max)
        store.note(record(4))
        #expect(try await uids(store) == [1, 2, 3, 4])
        #expect(try content() == (1...4).flatMap(line))
        #expect(log.count(of: "the audit is written again") == 1)
        disk.setRoom(0)
        store.note(record(5))
        _ = try await uids(store)
        #expect(log.entries.count { $0.level == .error } == 2, "a second time is said again")
    }

    @Test func whatWaitsForAFullDiskIsBounded() async throws {
        let disk = SmallDisk(room: 0)
        let store = store(disk: disk.calls)
        for uid in 1...1500 {
            store.note(record(uid))
            if uid % 500 == 0 { _ = try await uids(store) }
        }
        #expect(try await uids(store) == Array((1501 - AuditInbox.capacity)...1500))
        #expect(log.count(of: "records of the audit are lost") == 1)
        let running = Task { await store.run() }
        running.cancel()
        await running.value
        #expect(log.entries.last?.message == "the last records of the audit are not written")
        #expect(log.entries.last?.metadata["records"] == "\(AuditInbox.capacity)")
    }

    @Test func missingDirectoryAndObstaclesAreNoted() async throws {
        try directory.makeFolder("history.jsonl")
        let store = store()
        store.note(record(1))
        await #expect(throws: AuditFailure.self) { try await uids(store) }
        #expect(store.recentRecords().isEmpty)
        #expect(log.count(of: "the audit cannot be written; its records wait for the next attempt") == 1)
        try FileManager.default.removeItem(atPath: path)
        #expect(try await uids(store) == [1])
    }

    @Test func linkIsNotFollowed() async throws {
        let elsewhere = directory("elsewhere")
        try Data("kept\n".utf8).write(to: URL(filePath: elsewhere))
        #expect(symlink(elsewhere, path) == 0)
        let store = store()
        store.note(record(1))
        await #expect(throws: AuditFailure.self) { try await uids(store) }
        #expect(try Data(contentsOf: URL(filePath: elsewhere)) == Data("kept\n".utf8))
    }

    @Test func fileOpenToOthersIsClosedToThem() async throws {
        try Data(line(1)).write(to: URL(filePath: path))
        chmod(path, 0o644)
        let store = store()
        store.note(record(2))
        #expect(try await uids(store) == [1, 2])
        #expect(try directory.mode(of: "history.jsonl") == 0o600)
    }

    @Test func fileCutAnywhereKeepsItsWholeLinesAndGoesOn() async throws {
        let whole = (1...4).flatMap(line)
        var wholeLines = 0
        for cut in 0...whole.count {
            try Data(whole[..<cut]).write(to: URL(filePath: path))
            // A line lacks nothing without its end.
            if cut < whole.count, whole[cut] == 0x0A { wholeLines += 1 }
            let store = store()
            let expected = wholeLines > 0 ? Array(1...wholeLines) : []
            #expect(store.recentRecords().compactMap(\.uid) == expected, "cut at \(cut)")
            store.note(record(9))
            #expect(try await uids(store) == expected + [9], "cut at \(cut)")
            #expect(try content().starts(with: whole[..<cut]) && content().suffix(line(9).count) == line(9)[...])
        }
        #expect(wholeLines == 4)
    }

    @Test func damagedFileNeverCostsTheNextRecord() async throws {
        var generator = SeededGenerator(seed: 11)
        let whole = (1...8).flatMap(line)
        for round in 1...300 {
            var damaged = whole
            for _ in 1...Int.random(in: 1...6, using: &generator) {
                let start = Int.random(in: 0..<damaged.count, using: &generator)
                let end = min(damaged.count, start + Int.random(in: 1...80, using: &generator))
                switch Int.random(in: 0...2, using: &generator) {
                case 0: damaged.removeSubrange(start..<min(end, start + damaged.count - 1))
                case 1: for index in start..<end { damaged[index] = 0 }
                default: damaged[start] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            try Data(damaged).write(to: URL(filePath: path))
            let store = store()
            store.note(record(999))
            let records = try await store.records(AuditParameters(limit: 10_000))
            #expect(records.last == record(999), "round \(round)")
            #expect(records.count <= 9)
        }
    }
}
