internal import FoundationEssentials
internal import GRDB
import SQLiteRows
import Synchronization

/// The places database, opened read-only; `geodata/build.py` creates it and describes its tables.
///
/// Queries run on their own queues, so that no caller's thread blocks on the disk, and two at a time, so that a long
/// search does not delay a single other query.
struct PlacesDatabase: Sendable {
    /// The tables that are read once, when the database is opened.
    struct Fixed: Sendable {
        /// Time zones by id.
        var zones: [Int64: TimeZoneArea] = [:]
        /// The parent of each locale tag, which supplies missing names of countries.
        var parents: [String: String] = [:]
        /// The attribution to show with an answer.
        var attribution = ""
    }

    /// The access of one query to the database.
    struct Access {
        let database: Database
        let fixed: Fixed
    }

    /// A connection to the file, and its number of pending queries.
    private final class Reader: Sendable {
        let queue: DatabaseQueue
        let load = Mutex(0)

        init(_ queue: DatabaseQueue) { self.queue = queue }
    }

    private static let version = 1
    /// "lplc", the application id, by which other databases are rejected.
    private static let application = 0x6C70_6C63

    private let path: String
    private let readers: [Reader]
    private let fixed: Fixed

    /// - Throws: `PlacesError.network` if the file is missing, not a places database, of another version or damaged.
    init(path: String) throws(PlacesError) {
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queues = try (0..<OfflinePlaces.readers).map { _ in
                try DatabaseQueue(path: path, configuration: configuration)
            }
            readers = queues.map(Reader.init)
            fixed = try queues[0].read(Self.fixed)
        } catch {
            throw Self.described(error, path: path)
        }
    }

    /// - Throws: `PlacesError.cancelled` if the task is cancelled, `.network` if the database cannot be read.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Access) throws -> Value
    ) async throws(PlacesError) -> Value {
        let fixed = fixed
        // Another query may be added meanwhile, which affects the speed only.
        let reader = readers.min { $0.load.withLock(\.self) < $1.load.withLock(\.self) } ?? readers[0]
        reader.load.withLock { $0 += 1 }
        defer { reader.load.withLock { $0 -= 1 } }
        do {
            return try await reader.queue.read { try body(Access(database: $0, fixed: fixed)) }
        } catch {
            throw Self.described(error, path: path)
        }
    }

    private static func fixed(_ database: Database) throws -> Fixed {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id")
        guard application == Self.application else { throw Unusable("is not a places database") }
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version == Self.version else {
            throw Unusable("is of version \(version), and this program reads version \(Self.version)")
        }
        var fixed = Fixed()
        let zones = try Row.fetchCursor(database, sql: "SELECT id, name, countries FROM zones")
        while let row = try zones.next() {
            let countries = try row.text(2).split(separator: " ").map(String.init)
            fixed.zones[try row.integer(0)] = TimeZoneArea(name: try row.text(1), countries: countries)
        }
        let parents = try Row.fetchCursor(database, sql: "SELECT tag, parent FROM locales")
        while let row = try parents.next() { fixed.parents[try row.text(0)] = try row.text(1) }
        let attribution = "SELECT value FROM meta WHERE key = 'attribution'"
        guard let row = try Row.fetchOne(database, sql: attribution) else { throw Unusable("has no attribution") }
        fixed.attribution = try row.text(0)
        return fixed
    }

    private static func described(_ error: any Error, path: String) -> PlacesError {
        let problem: String
        switch error {
        case is CancellationError: return .cancelled
        case let unusable as Unusable: problem = unusable.problem
        case let damaged as DamagedValue: problem = "is damaged: \(damaged)"
        case let failure as DatabaseError:
            switch failure.resultCode {
            case .SQLITE_INTERRUPT, .SQLITE_ABORT: return .cancelled
            case .SQLITE_CANTOPEN where !FileManager.default.fileExists(atPath: path): problem = "does not exist"
            case .SQLITE_NOTADB: problem = "is not a places database"
            case let code: problem = "cannot be read: \(failure.message ?? code.description)"
            }
        default: problem = "cannot be read: \(error)"
        }
        return .network("\(path) \(problem); install locationd-geodata or run make geodata")
    }
}

/// Why the file cannot be used, as the text after its name.
struct Unusable: Error {
    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }
}
