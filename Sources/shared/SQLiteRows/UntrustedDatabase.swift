package import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// A database file that somebody else may have made with the intention to do harm: it is only read, in bounded time and
/// memory, whatever its tables and views are (https://www.sqlite.org/security.html).
///
/// Only a regular file is opened, so that a FIFO of this name holds nobody up. Functions that a view may not use are
/// refused, values and statements are bounded in their length, and each read ends at its deadline.
package final class UntrustedDatabase: Sendable {
    /// Why something is not read, beside the errors of SQLite.
    package enum Failure: Error, CustomStringConvertible, Equatable {
        /// The file, or one that SQLite opens with it, is no regular file.
        case notRegular(String)
        case cannotOpen(String)
        case tooSlow
        case tooLarge

        package var description: String {
            switch self {
            case .notRegular(let path): "\(path) is no regular file"
            case .cannotOpen(let reason): reason
            case .tooSlow: "it takes too long to read"
            case .tooLarge: "it has a value that is too large"
            }
        }
    }

    private let queue: DatabaseQueue
    private let deadline: Deadline

    /// Opens a file for reading.
    ///
    /// - Parameters:
    ///   - seconds: the time that opening may take.
    ///   - busyTimeout: seconds to wait for a program that writes the file.
    ///   - valueLimit: the most bytes of a value and of a row.
    package init(
        at path: String, within seconds: Double = 2, busyTimeout: Double = 0, valueLimit: Int = 4 << 20
    ) throws {
        try Self.checkFiles(path)
        let deadline = Deadline()
        var configuration = Configuration()
        configuration.readonly = true
        // It would run a statement before the limits are set.
        configuration.foreignKeysEnabled = false
        configuration.busyMode = busyTimeout > 0 ? .timeout(busyTimeout) : .immediateError
        configuration.prepareDatabase { database in
            guard let connection = database.sqliteConnection else { return }
            Self.limit(connection, values: valueLimit)
            // The closure, and so the deadline, lives as long as the connection.
            sqlite3_progress_handler(
                connection, Deadline.interval,
                { pointer in
                    guard let pointer else { return 0 }
                    return Unmanaged<Deadline>.fromOpaque(pointer).takeUnretainedValue().isOver ? 1 : 0
                }, Unmanaged.passUnretained(deadline).toOpaque())
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
        }
        deadline.begin(seconds)
        defer { deadline.end() }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw Self.translated(error)
        }
        self.deadline = deadline
    }

    /// Reads in one transaction.
    ///
    /// - Parameter seconds: the time that it may take from when its turn has come.
    /// - Throws: ``Failure/tooSlow`` at the deadline, ``Failure/tooLarge`` at a value that is too large.
    package func read<Value>(within seconds: Double, _ body: (Database) throws -> Value) throws -> Value {
        do {
            return try queue.unsafeRead { try Self.transaction($0, deadline, seconds, body) }
        } catch {
            throw Self.translated(error)
        }
    }

    /// The same, without holding up a thread of tasks.
    package func read<Value: Sendable>(
        within seconds: Double, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await queue.unsafeRead { [deadline] in try Self.transaction($0, deadline, seconds, body) }
        } catch {
            throw Self.translated(error)
        }
    }

    private static func transaction<Value>(
        _ database: Database, _ deadline: Deadline, _ seconds: Double, _ body: (Database) throws -> Value
    ) throws -> Value {
        deadline.begin(seconds)
        defer { deadline.end() }
        var value: Value?
        try database.inTransaction(.deferred) {
            value = try body(database)
            return .commit
        }
        guard let value else { throw Failure.tooSlow }
        return value
    }

    /// SQLite opens files beside the database's, too, and would wait for whoever writes to a FIFO.
    private static func checkFiles(_ path: String) throws(Failure) {
        for (suffix, isRequired) in [("", true), ("-journal", false), ("-wal", false), ("-shm", false)] {
            let descriptor = open(path + suffix, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else {
                if !isRequired, errno == ENOENT { continue }
                throw .cannotOpen("\(path + suffix): \(String(cString: strerror(errno)))")
            }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw .notRegular(path + suffix)
            }
        }
    }

    private static func limit(_ connection: OpaquePointer, values valueLimit: Int) {
        for (what, most) in [
            (SQLITE_LIMIT_LENGTH, valueLimit),
            // The text of the schema, too.
            (SQLITE_LIMIT_SQL_LENGTH, 100_000),
            (SQLITE_LIMIT_COLUMN, 100), (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_COMPOUND_SELECT, 10),
            (SQLITE_LIMIT_VDBE_OP, 25_000), (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_ATTACHED, 0),
            // A pattern may take a time that grows with a power of its length, within one step.
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] { sqlite3_limit(connection, what, Int32(most)) }
    }

    private static func translated(_ error: any Error) -> any Error {
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_INTERRUPT?: Failure.tooSlow
        case .SQLITE_TOOBIG?: Failure.tooLarge
        default: error
        }
    }
}

/// When what is read now has to be over. SQLite asks every few thousand steps.
///
/// Ownership: set on the connection's queue, and read by SQLite there; an atomic because the initializer sets it, too.
private final class Deadline: Sendable {
    /// Steps of SQLite's virtual machine: a fraction of a millisecond.
    static let interval: Int32 = 2000

    /// Nanoseconds of the monotonic clock.
    private let moment = Atomic<Int64>(.max)

    func begin(_ seconds: Double) { moment.store(Self.now + Int64(seconds * 1e9), ordering: .relaxed) }

    func end() { moment.store(.max, ordering: .relaxed) }

    var isOver: Bool { Self.now > moment.load(ordering: .relaxed) }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
