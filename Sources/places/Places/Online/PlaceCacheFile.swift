import GRDB
import Glibc

/// The cache's database: created if it is missing, opened at its first use, moved aside if it is damaged.
final class PlaceCacheFile {
    /// The application id of the file ("locp").
    private static let application = 0x6C6F_6370

    let path: String
    private var database: DatabaseQueue?

    init(path: String) {
        self.path = path
    }

    struct Unfit: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs the work in a transaction; if the file turns out to be damaged, runs it once more in a new file.
    func attempt<Value>(_ work: (Database) throws -> Value) throws -> (value: Value, hasMended: Bool) {
        do {
            return (try open().write(work), false)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            database = nil
            guard rename(path, path + ".damaged") == 0 else { throw error }
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            return (try open().write(work), true)
        }
    }

    private func open() throws -> DatabaseQueue {
        if let database { return database }
        // SQLite would create it readable for everyone; its journal files get the same mode.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw Unfit(description: "it is not a file; choose another path")
        }
        var configuration = Configuration()
        configuration.busyMode = .timeout(0.2)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.inDatabase(Self.prepare)
        chmod(path, 0o600)
        self.database = database
        return database
    }

    private static func prepare(_ database: Database) throws {
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id")
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        guard owner == application || (owner == 0 && tables == 0) else {
            throw Unfit(description: "it is the database of another program; choose another path")
        }
        try database.execute(
            sql: """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = NORMAL;
                PRAGMA application_id = \(application);
                CREATE TABLE IF NOT EXISTS answer (
                    key TEXT PRIMARY KEY, placemarks TEXT NOT NULL, stored INTEGER NOT NULL, used INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS answerByUse ON answer (used);
                CREATE INDEX IF NOT EXISTS answerByAge ON answer (stored);
                CREATE TABLE IF NOT EXISTS hold (service TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
                """)
    }
}
