import Fleet
internal import FoundationEssentials
internal import GRDB
import SQLiteRows

/// The tables of the outbox, and what is done with them inside one access.
enum OutboxSchema {
    static let version = 2
    /// "lflt", the application id, by which other databases are rejected.
    static let application = 0x6C66_6C74

    // A message's number is one more than the highest of all topics, so that no number is used twice. An index would
    // cost a page of the journal for each message.
    private static let tables = """
        CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, newest INTEGER NOT NULL);
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topics (id), kind INTEGER NOT NULL,
            retained INTEGER NOT NULL, inserted INTEGER NOT NULL, payload BLOB NOT NULL);
        CREATE TABLE state (origin INTEGER NOT NULL, created INTEGER NOT NULL, thinned INTEGER NOT NULL);
        """
    /// What version 2 adds. `audience` is who does not have a message yet: the bits of ``FleetMessage/Audience``. A
    /// destination has all messages up to its cursor, so the second bit is never taken away.
    private static let tablesOfDestinations = """
        ALTER TABLE messages ADD COLUMN audience INTEGER NOT NULL DEFAULT 1;
        CREATE TABLE destinations (
            name TEXT PRIMARY KEY, cursor INTEGER NOT NULL, shows_newest INTEGER NOT NULL, dropped INTEGER NOT NULL,
            memory TEXT);
        """

    /// Makes the tables in an empty file, and checks those of another.
    ///
    /// - Returns: the outbox's random number, and when it was made, in seconds since 1970.
    static func open(_ database: Database, path: String) throws -> (origin: UInt32, creationTime: Int64) {
        if try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_schema") == 0 { try create(database) }
        guard try Int.fetchOne(database, sql: "PRAGMA application_id") == application else {
            throw OutboxError.foreign(path: path)
        }
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= Self.version else { throw OutboxError.newer(path: path, version: version) }
        if let problem = try String.fetchOne(database, sql: "PRAGMA quick_check(1)"), problem != "ok" {
            throw OutboxError.damaged(path: path, reason: problem)
        }
        if version < Self.version { try upgrade(database) }
        guard let number = try integer(database, "SELECT origin FROM state"), let origin = UInt32(exactly: number),
            let creationTime = try integer(database, "SELECT created FROM state")
        else { throw OutboxError.damaged(path: path, reason: "its number is missing") }
        return (origin, creationTime)
    }

    private static func create(_ database: Database) throws {
        try database.inTransaction {
            try database.execute(sql: tables)
            let origin = Int64(UInt32.random(in: 1...UInt32.max))
            try database.execute(
                literal: "INSERT INTO state (origin, created, thinned) VALUES (\(origin), unixepoch(), 0)")
            try database.execute(sql: "PRAGMA application_id = \(application)")
            try database.execute(sql: "PRAGMA user_version = 1")
            return .commit
        }
    }

    private static func upgrade(_ database: Database) throws {
        try transaction(database) {
            try database.execute(sql: tablesOfDestinations)
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Runs a transaction. If the disk is full, it is run again after what is in the journal is brought into the file,
    /// which frees the journal.
    static func transaction(_ database: Database, _ body: () throws -> Void) throws {
        func run() throws {
            try database.inTransaction {
                try body()
                return .commit
            }
        }
        do {
            try run()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            _ = try? database.checkpoint(.truncate)
            try run()
        }
    }

    /// - Returns: the message's number, and how many of the broker's it has replaced.
    static func insert(_ message: FleetMessage, in database: Database) throws -> (id: Int64, replaced: Int) {
        try database.execute(
            literal: "INSERT INTO topics (name, newest) VALUES (\(message.topic), 0) ON CONFLICT (name) DO NOTHING")
        guard let topic = try integer(database, "SELECT id FROM topics WHERE name = ?", [message.topic]),
            let last = try integer(database, "SELECT MAX(newest) FROM topics")
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a topic is missing") }
        var replaced = 0
        if message.kind == .state {
            let former = "FROM messages WHERE id = (SELECT newest FROM topics WHERE id = \(topic))"
            replaced = try Int.fetchOne(database, sql: "SELECT COUNT(*) \(former) AND audience & 1") ?? 0
            try database.execute(sql: "DELETE \(former)")
        }
        let id = last + 1
        try database.execute(
            literal: """
                INSERT INTO messages (id, topic, kind, retained, inserted, payload, audience)
                VALUES (
                    \(id), \(topic), \(message.kind.rawValue), \(message.isRetained), unixepoch(), \(Data(message.payload)),
                    \(message.audience.rawValue))
                """)
        try database.execute(literal: "UPDATE topics SET newest = \(id) WHERE id = \(topic)")
        return (id, replaced)
    }

    static func entry(_ id: Int64, in database: Database) throws -> MessageOutbox.Entry? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT topics.name, kind, retained, payload, topics.newest FROM messages
                JOIN topics ON topics.id = messages.topic WHERE messages.id = ? AND audience & 1
                """, arguments: [id])
        guard let row else { return nil }
        guard let kind = FleetMessage.Kind(rawValue: Int(truncatingIfNeeded: try row.integer(1))) else {
            throw DamagedValue("a number is missing")
        }
        let message = FleetMessage(
            topic: try row.text(0), kind: kind, isRetained: try row.integer(2) != 0, payload: Array(try row.bytes(3)))
        return MessageOutbox.Entry(id: id, message: message, isNewest: try row.integer(4) == id)
    }

    /// The file's pages that hold something.
    static func usedBytes(_ database: Database) throws -> Int {
        func number(_ pragma: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    /// Those that the broker does not have.
    static func count(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM messages WHERE audience & 1") ?? 0
    }

    /// When the oldest message that the broker does not have was inserted, in seconds since 1970.
    static func oldestTime(_ database: Database) throws -> Int64? {
        try integer(database, "SELECT inserted FROM messages WHERE audience & 1 ORDER BY id LIMIT 1")
    }

    static func thinned(_ database: Database) throws -> Int {
        Int(try integer(database, "SELECT thinned FROM state") ?? 0)
    }

    /// Deletes every second message of the oldest half of each topic, positions first, and counts them.
    ///
    /// - Returns: for whom how many were deleted: in all, and of what the broker (`nil`) and each destination did not
    ///   have; 0 if no message may be deleted.
    static func thin(
        _ database: Database, sparing: Set<Int64>
    ) throws -> (deleted: Int, dropped: [String?: Int]) {
        let spared = sparing.map(String.init).joined(separator: ",")
        var (deleted, dropped) = (0, [String?: Int]())
        try transaction(database) {
            deleted = 0
            dropped = [:]
            let cursors = try Row.fetchAll(
                database, sql: "SELECT name, cursor FROM destinations WHERE NOT shows_newest"
            )
            .map { (name: try $0.text(0), cursor: try $0.integer(1)) }
            for kind in [FleetMessage.Kind.location, .event] where deleted == 0 {
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        DELETE FROM messages WHERE id IN (
                            SELECT id FROM (
                                SELECT id, ROW_NUMBER() OVER (PARTITION BY topic ORDER BY id) AS place,
                                    COUNT(*) OVER (PARTITION BY topic) AS total
                                FROM messages WHERE kind = ? AND id NOT IN (\(spared)))
                            WHERE place % 2 = 0 AND place <= MAX(2, total / 2))
                        RETURNING id, audience
                        """, arguments: [kind.rawValue])
                while let row = try rows.next() {
                    deleted += 1
                    let (id, audience) = (try row.integer(0), try FleetMessage.Audience(rawValue: Int(row.integer(1))))
                    if audience.contains(.broker) { dropped[nil, default: 0] += 1 }
                    guard audience.contains(.destinations) else { continue }
                    for (name, cursor) in cursors where id > cursor { dropped[name, default: 0] += 1 }
                }
            }
            try database.execute(literal: "UPDATE state SET thinned = thinned + \(deleted)")
            for (name, count) in dropped {
                try database.execute(
                    literal: "UPDATE destinations SET dropped = dropped + \(count) WHERE name = \(name)")
            }
        }
        return (deleted, dropped)
    }

    static func integer(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = []
    ) throws -> Int64? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)?.integer(0)
    }
}
