import Fleet
import Foundation
import GRDB
import ProgramTestSupport
import Testing

@testable import Delivery

/// What waits for whom, and what is deleted behind the slowest.
@Suite struct DestinationCursorsTests {
    private let folder: TemporaryFolder
    private var path: String { folder("outbox.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func outbox(limit: Int = 1 << 20, _ destinations: [String: Bool], hasBroker: Bool = true) async throws
        -> MessageOutbox
    {
        let outbox = try MessageOutbox(path: path, limit: limit)
        _ = try await outbox.configure(destinations, hasBroker: hasBroker)
        return outbox
    }

    private func message(
        _ text: String, to audience: FleetMessage.Audience = [.broker, .destinations],
        kind: FleetMessage.Kind = .location
    ) -> FleetMessage {
        FleetMessage(topic: "\(kind)", kind: kind, isRetained: true, payload: Array(text.utf8), audience: audience)
    }

    /// All that is on the disk.
    private func ids(_ outbox: MessageOutbox) async throws -> [Int64] {
        try await outbox.queue.read { try Int64.fetchAll($0, sql: "SELECT id FROM messages ORDER BY id") }
    }

    @Test func messageIsDeletedWhenAllHaveIt() async throws {
        let outbox = try await outbox(["a": false, "b": false])
        let texts = ["1", "2", "3"]
        for text in texts { _ = try await outbox.insert([message(text)]) }
        #expect(try await outbox.count().messages == 3)
        #expect(try await outbox.progress(of: "a")?.waiting == 3)
        try await outbox.advance("a", to: 2, memory: "{}")
        try await outbox.remove([1, 3])
        #expect(try await ids(outbox) == [1, 2, 3])
        #expect(try await outbox.ids(after: 0, limit: 9) == [2])
        #expect(try await outbox.entry(1) == nil, "it is not published again")
        #expect(try await outbox.count().messages == 1)
        try await outbox.advance("b", to: 1, memory: nil)
        #expect(try await ids(outbox) == [2, 3])
        try await outbox.advance("b", to: 3, memory: nil)
        #expect(try await ids(outbox) == [2, 3], "the broker does not have 2, nor a 3")
        try await outbox.remove([2])
        #expect(try await ids(outbox) == [3])
        #expect(try await outbox.progress(of: "a") == .init(cursor: 2, waiting: 1, dropped: 0, memory: "{}"))
        try await outbox.advance("a", to: 3, memory: nil)
        #expect(try await ids(outbox).isEmpty)
        #expect(try await outbox.count().messages == 0)
    }

    @Test func eachIsReadInOrderAndOnlyWhatIsForDestinations() async throws {
        let outbox = try await outbox(["a": false, "home": true])
        _ = try await outbox.insert([message("1"), message("plain", to: .broker), message("2", to: .destinations)])
        _ = try await outbox.insert([message("enter", kind: .event)])
        var texts: [String] = []
        var cursor: Int64 = 0
        while let report = try await outbox.report(after: cursor, showsNewest: false) {
            texts.append(String(decoding: report.payload, as: UTF8.self))
            cursor = report.id
        }
        #expect(texts == ["1", "2", "enter"])
        let newest = try #require(await outbox.report(after: 0, showsNewest: true))
        #expect(String(decoding: newest.payload, as: UTF8.self) == "2" && newest.kind == .location)
        #expect(try await outbox.ids(after: 0, limit: 9) == [1, 2, 4], "the broker's")
        #expect(try await outbox.progress(of: "home")?.waiting == 1)
        #expect(try await outbox.progress(of: "other") == nil)
    }

    /// A server that shows the newest alone, and is away, holds nothing back but that.
    @Test func newestAloneHoldsNothingBack() async throws {
        let outbox = try await outbox(["home": true], hasBroker: false)
        for text in ["1", "2", "3"] { _ = try await outbox.insert([message(text, to: .destinations)]) }
        #expect(try await ids(outbox) == [3])
        #expect(try await outbox.report(after: 0, showsNewest: true)?.id == 3)
        try await outbox.advance("home", to: 3, memory: nil)
        #expect(try await ids(outbox).isEmpty)
    }

    @Test func newDestinationBeginsWithTheNextAndForgottenOnesAreSaid() async throws {
        do {
            let outbox = try await outbox(["a": false])
            for text in ["1", "2"] { _ = try await outbox.insert([message(text)]) }
            try await outbox.advance("a", to: 1, memory: "mine")
        }
        do {
            let outbox = try MessageOutbox(path: path, limit: 1 << 20)
            #expect(try await outbox.configure(["a": false, "b": false], hasBroker: true).isEmpty)
            #expect(try await outbox.progress(of: "a") == .init(cursor: 1, waiting: 1, dropped: 0, memory: "mine"))
            #expect(try await outbox.progress(of: "b") == .init(cursor: 2, waiting: 0, dropped: 0, memory: nil))
            #expect(try await ids(outbox) == [1, 2])
        }
        let outbox = try MessageOutbox(path: path, limit: 1 << 20)
        #expect(try await outbox.configure(["b": false], hasBroker: false) == ["a": 1, nil: 2])
        #expect(try await ids(outbox).isEmpty)
        #expect(try await outbox.count().messages == 0)
        #expect(try await outbox.insert([message("3")]).ids == [3], "numbers are never used again")
    }

    @Test func whatIsDeletedForWantOfRoomIsCountedForWhomItWaited() async throws {
        let outbox = try await outbox(limit: 1, ["a": false, "b": false, "home": true])
        let filling = String(repeating: "x", count: 3000)
        _ = try await outbox.insert([message(filling)])
        try await outbox.advance("a", to: 1, memory: nil)
        try await outbox.remove([1])
        // The second of a pair is spared as the newest, and the first of the oldest two is kept.
        _ = try await outbox.insert([message(filling)])
        let third = try await outbox.insert([message(filling)])
        #expect(third.thinned == 1 && third.dropped == [nil: 1, "a": 1, "b": 1])
        #expect(try await ids(outbox) == [1, 3])
        #expect(third.count == 1)
        #expect(try await outbox.progress(of: "b") == .init(cursor: 0, waiting: 2, dropped: 1, memory: nil))
        try await outbox.advance("a", to: 3, memory: nil)
        try await outbox.remove([3])
        let fourth = try await outbox.insert([message(filling)])
        #expect(fourth.dropped == ["b": 1], "the others have 3")
        #expect(try await outbox.progress(of: "a")?.dropped == 1)
        #expect(try await outbox.progress(of: "home")?.dropped == 0)
    }

    @Test func stateThatReplacesAnotherIsCountedOnce() async throws {
        let outbox = try await outbox(["a": false])
        _ = try await outbox.insert([message("1", to: .broker, kind: .state)])
        #expect(try await outbox.insert([message("2", to: .destinations, kind: .state)]).count == 0)
        #expect(try await outbox.insert([message("3", to: .broker, kind: .state)]).count == 1)
        #expect(try await ids(outbox) == [3])
    }

    /// As a version before has left it.
    @Test func fileOfTheFirstVersionIsTakenOver() async throws {
        let old = try DatabaseQueue(path: path)
        try await old.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, newest INTEGER NOT NULL);
                    CREATE TABLE messages (
                        id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topics (id), kind INTEGER NOT NULL,
                        retained INTEGER NOT NULL, inserted INTEGER NOT NULL, payload BLOB NOT NULL);
                    CREATE TABLE state (origin INTEGER NOT NULL, created INTEGER NOT NULL, thinned INTEGER NOT NULL);
                    INSERT INTO state VALUES (7, 1800000000, 3);
                    INSERT INTO topics VALUES (1, 'location', 12);
                    INSERT INTO messages VALUES (11, 1, 0, 1, 1800000001, x'31'), (12, 1, 0, 1, 1800000002, x'32');
                    PRAGMA application_id = \(OutboxSchema.application);
                    PRAGMA user_version = 1;
                    """)
        }
        try old.close()
        let outbox = try await outbox(["a": false])
        #expect(outbox.origin == 7 && outbox.creationTime == 1_800_000_000)
        #expect(try await outbox.ids(after: 0, limit: 9) == [11, 12])
        #expect(
            try await outbox.count()
                == .init(messages: 2, bytes: outbox.count().bytes, thinned: 3, oldestTime: 1_800_000_001))
        #expect(try await outbox.progress(of: "a") == .init(cursor: 12, waiting: 0, dropped: 0, memory: nil))
        #expect(try await outbox.insert([message("3")]).ids == [13])
        #expect(try await outbox.progress(of: "a")?.waiting == 1)
        #expect(try await outbox.entry(11)?.message.payload == Array("1".utf8))
    }
}
