package import Fleet
internal import FoundationEssentials
internal import GRDB
import SQLiteRows

/// How far each destination is in the messages that are for all of them, and what is deleted behind the slowest.
enum DestinationCursors {
    /// The cursor of the slowest; the greatest number if there is no destination.
    static func lowest(_ database: Database) throws -> Int64 {
        try OutboxSchema.integer(database, "SELECT COALESCE(MIN(cursor), \(Int64.max)) FROM destinations") ?? Int64.max
    }

    /// Changes cursors, and deletes what nobody waits for any more. Only what lies between the former lowest cursor and
    /// the new one is looked at.
    static func change(_ database: Database, _ body: () throws -> Void) throws {
        let former = try lowest(database)
        try body()
        let lowest = try lowest(database)
        guard lowest > former else { return }
        try database.execute(
            literal: "DELETE FROM messages WHERE id > \(former) AND id <= \(lowest) AND audience = 2")
    }

    /// Moves the destinations that show the newest location alone beyond what came before it.
    static func skip(to id: Int64, in database: Database) throws {
        try change(database) {
            try database.execute(
                literal: "UPDATE destinations SET cursor = \(id) WHERE shows_newest AND cursor < \(id)")
        }
    }
}

extension MessageOutbox {
    /// Where a destination is.
    package struct Progress: Sendable, Equatable {
        /// It has all up to this number.
        package var cursor: Int64 = 0
        /// Reports that wait for it.
        package var waiting = 0
        /// Reports that were deleted before it had them.
        package var dropped = 0
        /// What it has to remember, as text.
        package var memory: String?
    }

    /// A message for destinations.
    package struct Report: Sendable, Equatable {
        package let id: Int64
        package let kind: FleetMessage.Kind
        package let payload: [UInt8]
    }

    /// Who there is: others are forgotten, with what waits for them.
    ///
    /// - Parameters:
    ///   - destinations: the names, and whether the destination shows the newest location alone.
    ///   - hasBroker: whether there is a broker.
    /// - Returns: how many messages waited for whom, of those that are not there any more; `nil` is the broker.
    package func configure(
        _ destinations: [String: Bool], hasBroker: Bool
    ) async throws(OutboxError) -> [String?: Int] {
        let forgotten = try await access { database in
            var forgotten: [String?: Int] = [:]
            try OutboxSchema.transaction(database) {
                forgotten = [:]
                for name in try String.fetchAll(database, sql: "SELECT name FROM destinations")
                where destinations[name] == nil {
                    forgotten[name] = try Self.progress(of: name, database)?.waiting
                    try database.execute(literal: "DELETE FROM destinations WHERE name = \(name)")
                }
                for (name, showsNewest) in destinations {
                    try database.execute(
                        literal: """
                            INSERT INTO destinations (name, cursor, shows_newest, dropped)
                            VALUES (\(name), (SELECT COALESCE(MAX(newest), 0) FROM topics), \(showsNewest), 0)
                            ON CONFLICT (name) DO UPDATE SET shows_newest = excluded.shows_newest
                            """)
                }
                if !hasBroker {
                    try database.execute(sql: "UPDATE messages SET audience = audience & ~1 WHERE audience & 1")
                    forgotten[nil] = database.changesCount
                }
                try database.execute(
                    literal: """
                        DELETE FROM messages
                        WHERE audience = 0 OR audience = 2 AND id <= \(try DestinationCursors.lowest(database))
                        """)
            }
            return forgotten.filter { $0.value > 0 }
        }
        try await recount()
        return forgotten
    }

    /// - Returns: `nil` if there is no destination of the name.
    package func progress(of name: String) async throws(OutboxError) -> Progress? {
        try await access { try Self.progress(of: name, $0) }
    }

    private static func progress(of name: String, _ database: Database) throws -> Progress? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT cursor, dropped, memory, (
                    SELECT COUNT(*) FROM messages
                    WHERE id > cursor AND audience & 2 AND (kind = 0 OR NOT shows_newest))
                FROM destinations WHERE name = ?
                """, arguments: [name])
        guard let row else { return nil }
        return Progress(
            cursor: try row.integer(0), waiting: Int(try row.integer(3)), dropped: Int(try row.integer(1)),
            memory: row.optionalText(2))
    }

    /// The next message for a destination.
    ///
    /// - Parameter showsNewest: whether it is the newest location, in place of the oldest message.
    package func report(after cursor: Int64, showsNewest: Bool) async throws(OutboxError) -> Report? {
        let order = showsNewest ? "AND kind = 0 ORDER BY id DESC" : "ORDER BY id"
        return try await access { database in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT id, kind, payload FROM messages WHERE id > ? AND audience & 2 \(order) LIMIT 1",
                arguments: [cursor])
            guard let row else { return nil }
            guard let kind = FleetMessage.Kind(rawValue: Int(truncatingIfNeeded: try row.integer(1))) else {
                throw DamagedValue("a number is missing")
            }
            return Report(id: try row.integer(0), kind: kind, payload: Array(try row.bytes(2)))
        }
    }

    /// Moves a destination's cursor on, and saves what it has to remember.
    package func advance(_ name: String, to id: Int64, memory: String?) async throws(OutboxError) {
        try await access { database in
            try OutboxSchema.transaction(database) {
                try DestinationCursors.change(database) {
                    try database.execute(
                        literal: """
                            UPDATE destinations SET cursor = MAX(cursor, \(id)), memory = \(memory) WHERE name = \(name)
                            """)
                }
            }
        }
    }
}
