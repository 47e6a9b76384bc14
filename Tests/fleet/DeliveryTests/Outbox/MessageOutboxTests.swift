import Fleet
import Foundation
import GRDB
import ProgramTestSupport
import Testing

@testable import Delivery

/// What the outbox keeps, and in which order.
@Suite struct MessageOutboxTests {
    private let folder: TemporaryFolder
    private var path: String { folder("outbox.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func message(
        _ text: String, topic: String = "a", kind: FleetMessage.Kind = .location
    ) -> FleetMessage {
        FleetMessage(topic: topic, kind: kind, isRetained: true, payload: Array(text.utf8))
    }

    private func texts(_ outbox: MessageOutbox) async throws -> [String] {
        var texts: [String] = []
        for id in try await outbox.ids(after: 0, limit: 100_000) {
            let payload = try #require(await outbox.entry(id)).message.payload
            texts.append(String(decoding: payload, as: UTF8.self))
        }
        return texts
    }

    /// A program that ends cancels what it does: a message is then in the outbox, and its number is known.
    @Test func insertIsDoneToItsEndThoughItsTaskIsCancelled() async throws {
        let outbox = try MessageOutbox(path: path, limit: 1 << 20)
        let message = message("a")
        let insert = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await outbox.insert([message]).ids
        }
        #expect(try await insert.value == outbox.ids(after: 0, limit: 10))
        #expect(try await texts(outbox) == ["a"])
    }

    /// As SQLite has it on the connection that writes: a loss of power takes nothing that an insert has returned for.
    @Test func eachChangeIsOnTheDiskWhenItReturns() async throws {
        for _ in 0..<2 {
            let outbox = try MessageOutbox(path: path, limit: 1 << 20)
            let settings = try await outbox.queue.writeWithoutTransaction { database in
                [
                    try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                    // 2 is FULL, 3 EXTRA; 1 is NORMAL, with which the last transactions before a loss of power are
                    // lost.
                    try Int.fetchOne(database, sql: "PRAGMA synchronous").map(String.init),
                ]
            }
            #expect(settings == ["wal", "2"], "a new file, and one that is opened again")
        }
    }

    @Test func messagesOutliveTheProcessUnchanged() async throws {
        let first = message("one")
        let origin: UInt32
        do {
            let outbox = try MessageOutbox(path: path, limit: 1 << 20)
            origin = outbox.origin
            #expect(try await outbox.insert([first, message("two", topic: "b", kind: .event)]).ids == [1, 2])
        }
        let outbox = try MessageOutbox(path: path, limit: 1 << 20)
        #expect(outbox.origin == origin && origin != 0)
        #expect(try await outbox.entry(1) == MessageOutbox.Entry(id: 1, message: first, isNewest: true))
        #expect(try await texts(outbox) == ["one", "two"])
        #expect(try folder.mode(of: "outbox.sqlite") == 0o600)
    }

    /// A receiver would take a new message for the old one.
    @Test func numbersAreNeverUsedAgain() async throws {
        do {
            let outbox = try MessageOutbox(path: path, limit: 1 << 20)
            let ids = try await outbox.insert([message("one"), message("two")]).ids
            try await outbox.remove(ids)
            #expect(try await outbox.count().messages == 0)
        }
        #expect(try await MessageOutbox(path: path, limit: 1 << 20).insert([message("three")]).ids == [3])
    }

    /// An old position may not replace the newest one at the broker, also after that one is acknowledged.
    @Test func onlyTheNewestOfATopicIsTheNewest() async throws {
        do {
            let outbox = try MessageOutbox(path: path, limit: 1 << 20)
            _ = try await outbox.insert([message("old"), message("new"), message("other", topic: "b")])
            #expect(try await outbox.newest().sorted() == [2, 3])
            #expect(try await outbox.entry(2)?.isNewest == true)
            try await outbox.remove([2])
            #expect(try await outbox.newest() == [3])
        }
        let outbox = try MessageOutbox(path: path, limit: 1 << 20)
        #expect(try await outbox.entry(1)?.isNewest == false)
        #expect(try await outbox.entry(2) == nil)
    }

    @Test func newStateReplacesTheOldOne() async throws {
        let outbox = try MessageOutbox(path: path, limit: 1 << 20)
        for text in ["one", "two"] { _ = try await outbox.insert([message(text, topic: "s", kind: .state)]) }
        #expect(try await texts(outbox) == ["two"])
    }

    @Test func oldestBecomesCoarserAndIsCounted() async throws {
        let limit = 200_000
        let outbox = try MessageOutbox(path: path, limit: limit)
        let filling = String(repeating: "x", count: 300)
        var inserted = 0
        var thinned = 0
        while inserted < 4000 {
            thinned += try await outbox.insert([
                message("\(inserted) \(filling)", topic: "a"), message("\(inserted) \(filling)", topic: "b"),
            ]).thinned
            if inserted % 500 == 0 { _ = try await outbox.insert([message("event", topic: "e", kind: .event)]) }
            inserted += 1
        }
        let count = try await outbox.count()
        #expect(count.bytes <= limit && count.bytes > limit / 2)
        #expect(count.thinned == thinned && count.messages + thinned == 2 * inserted + 8)
        let left = try await texts(outbox).filter { $0 != "event" }.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(try await texts(outbox).count { $0 == "event" } == 8)
        // Both topics have the same track, from its first position to its last.
        for number in Set(left) { #expect(left.count { $0 == number } == 2, "\(number)") }
        #expect(left.first == 0 && left.last == 3999)
        #expect(left.suffix(100) == (3950..<4000).flatMap { [$0, $0] }[...])
    }

    @Test func whatIsInFlightIsNotThinned() async throws {
        let outbox = try MessageOutbox(path: path, limit: 1)
        let filling = String(repeating: "x", count: 3000)
        let first = try await outbox.insert([message(filling)]).ids
        #expect(first == [1])
        #expect(try await outbox.insert([message(filling)], sparing: [1]).thinned == 0)
        #expect(try await outbox.ids(after: 0, limit: 9) == [1, 2])
        #expect(try await outbox.insert([message(filling)]).thinned == 1)
        #expect(try await outbox.ids(after: 0, limit: 9) == [1, 3])
    }
}

/// Files that are no outbox, or cannot be one: each says what to do, and none is changed.
@Suite struct UnusableOutboxTests {
    private let folder: TemporaryFolder
    private var path: String { folder("outbox.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ path: String? = nil) -> OutboxError? {
        do {
            _ = try MessageOutbox(path: path ?? self.path, limit: 1 << 20)
            return nil
        } catch {
            return error
        }
    }

    private func fill() async throws {
        let outbox = try MessageOutbox(path: path, limit: 1 << 24)
        let payload = [UInt8](repeating: 0x78, count: 500)
        _ = try await outbox.insert(
            (0..<500).map { _ in FleetMessage(topic: "a", kind: .location, isRetained: true, payload: payload) })
    }

    @Test func textIsNoOutbox() throws {
        try folder.write(String(repeating: "no database\n", count: 100), to: "outbox.sqlite")
        #expect(failure()?.description.contains("is damaged (file is not a database); move it aside") == true)
        #expect(text(of: path).hasPrefix("no database\n"))
    }

    @Test func damagedFileIsLeftAsItIs() async throws {
        try await fill()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: 40_960)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 65_536))
        try file.close()
        let before = try Data(contentsOf: URL(filePath: path))
        guard case .damaged? = failure() else {
            Issue.record("\(String(describing: failure()))")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func databaseOfAnotherProgramIsNotTouched() async throws {
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER)") }
        try other.close()
        #expect(failure() == .foreign(path: path))
    }

    @Test func newerVersionSaysSo() async throws {
        try await fill()
        let other = try DatabaseQueue(path: path)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(OutboxSchema.version + 1)")
        }
        try other.close()
        #expect(failure() == .newer(path: path, version: OutboxSchema.version + 1))
        #expect(failure()?.description.contains("which a later locationd-fleet has written; update this one") == true)
    }

    @Test func secondProcessIsToldOfTheFirst() throws {
        let first = try MessageOutbox(path: path, limit: 1 << 20)
        #expect(failure() == .inUse(path: path))
        withExtendedLifetime(first) {}
    }

    @Test func placeThatCannotBeWrittenSaysWhatToCheck() throws {
        let folderPath = try folder.makeFolder("folder")
        for path in [folderPath, folder("absent/outbox.sqlite")] {
            let failure = failure(path)
            guard case .notWritable? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(failure?.description.contains("check the owner and the permissions") == true)
        }
    }
}
