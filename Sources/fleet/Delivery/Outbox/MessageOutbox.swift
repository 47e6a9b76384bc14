package import Fleet
internal import FoundationEssentials
internal import GRDB
import Glibc
import SQLiteRows
import Synchronization

/// The messages that the broker has not acknowledged yet, or a destination does not have, in a file of SQLite.
///
/// What ``insert(_:)`` has returned for is there after the process was killed and after the machine lost power, until
/// the broker has it (``remove(_:)``) and the cursors of all destinations are beyond it, or until the file has reached
/// its limit: then every second one of the oldest half of each topic's positions is deleted, so that an old track
/// becomes coarser and does not end, and counted. A file that is damaged, newer, another program's or unwritable is
/// left as it is.
///
/// Ownership: the connection belongs to GRDB's queue, which runs one access at a time; only one process has the file
/// open.
package final class MessageOutbox: Sendable {
    /// One message and its number; numbers rise with each message and are never used again.
    package struct Entry: Sendable, Equatable {
        package let id: Int64
        package let message: FleetMessage
        /// Whether no later message of its topic was ever inserted. Only such a message may replace what the broker
        /// retains.
        package let isNewest: Bool
    }

    /// How much there is.
    package struct Count: Sendable, Equatable {
        /// Messages that wait for the broker.
        package var messages = 0
        /// Bytes of the file that are in use.
        package var bytes = 0
        /// Messages deleted because the file had reached its limit, since the file was made.
        package var thinned = 0
        /// When the oldest of those for the broker was inserted, in seconds since 1970 by the wall clock; `nil` if none
        /// waits.
        package var oldestTime: Int64?
    }

    /// What has come of an insertion.
    package struct Insertion: Sendable {
        /// The numbers of the messages.
        package var ids: [Int64] = []
        /// How many others were deleted to make room.
        package var thinned = 0
        /// How many of these the broker (`nil`), and each destination, did not have.
        package var dropped: [String?: Int] = [:]
        /// How many messages wait for the broker now.
        package var count = 0
    }

    package let path: String
    /// The random number of this outbox, which is a part of its messages' identifiers.
    package let origin: UInt32
    /// When the file was made, in seconds since 1970.
    package let creationTime: Int64
    private let limit: Int
    /// How many messages wait for the broker, because counting reads the whole file; changed by the queue's accesses
    /// alone.
    private let waiting: Mutex<Int>
    /// Tests read its settings.
    let queue: DatabaseQueue

    /// Opens the file, or makes it.
    ///
    /// - Parameter limit: bytes of the file that may be in use.
    package init(path: String, limit: Int) throws(OutboxError) {
        (self.path, self.limit) = (path, limit)
        do {
            try Self.prepareFile(path)
            queue = try DatabaseQueue(path: path, configuration: Self.configuration)
            let (state, count) = try queue.writeWithoutTransaction {
                (try OutboxSchema.open($0, path: path), try OutboxSchema.count($0))
            }
            (origin, creationTime) = state
            waiting = Mutex(count)
        } catch {
            throw OutboxError(error, path: path)
        }
    }

    /// Adds messages, all or none, and makes room for them if the limit is reached.
    ///
    /// - Parameters:
    ///   - sparing: messages that are not deleted to make room: the broker may be about to acknowledge them.
    package func insert(
        _ messages: [FleetMessage], sparing: Set<Int64> = []
    ) async throws(OutboxError) -> Insertion {
        try await access { [self] database in
            var (insertion, change) = (Insertion(), 0)
            try OutboxSchema.transaction(database) {
                insertion.ids = []
                change = 0
                for message in messages {
                    let (id, replaced) = try OutboxSchema.insert(message, in: database)
                    insertion.ids.append(id)
                    change += (message.audience.contains(.broker) ? 1 : 0) - replaced
                    if message.audience.contains(.destinations), message.kind == .location {
                        try DestinationCursors.skip(to: id - 1, in: database)
                    }
                }
            }
            waiting.withLock { $0 += change }
            while try OutboxSchema.usedBytes(database) > limit {
                // The messages are inserted; where there is no room to delete others, the next call tries it again.
                guard let thinned = try? OutboxSchema.thin(database, sparing: sparing.union(insertion.ids)),
                    thinned.deleted > 0
                else { break }
                insertion.thinned += thinned.deleted
                insertion.dropped.merge(thinned.dropped, uniquingKeysWith: +)
            }
            waiting.withLock { $0 -= insertion.dropped[nil] ?? 0 }
            insertion.count = waiting.withLock(\.self)
            return insertion
        }
    }

    /// Messages that the broker has are deleted when all destinations have them too.
    package func remove(_ ids: [Int64]) async throws(OutboxError) {
        try await access { [self] database in
            var removed = 0
            try OutboxSchema.transaction(database) {
                removed = 0
                let lowest = try DestinationCursors.lowest(database)
                for id in ids {
                    try database.execute(
                        literal: "DELETE FROM messages WHERE id = \(id) AND (audience = 1 OR id <= \(lowest))")
                    removed += database.changesCount
                    try database.execute(
                        literal: "UPDATE messages SET audience = audience & ~1 WHERE id = \(id) AND audience & 1")
                    removed += database.changesCount
                }
            }
            waiting.withLock { $0 -= removed }
        }
    }

    /// - Returns: `nil` if there is none of the number any more.
    package func entry(_ id: Int64) async throws(OutboxError) -> Entry? {
        try await access { try OutboxSchema.entry(id, in: $0) }
    }

    /// The numbers of the oldest messages after one, in rising order.
    package func ids(after id: Int64, limit: Int) async throws(OutboxError) -> [Int64] {
        try await access {
            try Int64.fetchAll(
                $0, sql: "SELECT id FROM messages WHERE id > ? AND audience & 1 ORDER BY id LIMIT ?",
                arguments: [id, limit])
        }
    }

    /// The number of the newest message of each topic, if that waits: else the broker has it, and older ones are not
    /// urgent.
    package func newest() async throws(OutboxError) -> [Int64] {
        try await access {
            try Int64.fetchAll(
                $0,
                sql: "SELECT newest FROM topics JOIN messages ON messages.id = newest WHERE audience & 1")
        }
    }

    package func count() async throws(OutboxError) -> Count {
        try await access { [self] database in
            Count(
                messages: waiting.withLock(\.self),
                bytes: try OutboxSchema.usedBytes(database), thinned: try OutboxSchema.thinned(database),
                oldestTime: try OutboxSchema.oldestTime(database))
        }
    }

    /// Counts anew what waits for the broker.
    func recount() async throws(OutboxError) {
        try await access { [self] database in
            let count = try OutboxSchema.count(database)
            waiting.withLock { $0 = count }
        }
    }

    func access<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(OutboxError) -> Value {
        do {
            return try await queue.uninterrupted(body)
        } catch {
            throw OutboxError(error, path: path)
        }
    }

    /// Makes the file for this user alone, because SQLite would make it by the process's mask; the files beside it get
    /// the same permissions.
    private static func prepareFile(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        // SQLite reads a file that cannot be written, and would fail only at the first message.
        guard descriptor >= 0 else {
            throw OutboxError.notWritable(path: path, reason: String(cString: strerror(errno)))
        }
        close(descriptor)
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "outbox"
        configuration.prepareDatabase { database in
            // One process at a time; it also spares the file of shared memory.
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            // Each commit is on the disk when it returns. NORMAL would lose the last commits with the machine's power,
            // and saves nothing that counts here: there is a commit for a published position, which is at most one a
            // second, and one for the acknowledgements that came together.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // A quarter of a mebibyte; 1000 pages, the default, are much for the small disk of a small machine.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 64")
        }
        return configuration
    }
}
