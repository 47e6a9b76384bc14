import AccessPoints
import Foundation
import GRDB
@_spi(Programs) import LocationModel
import SQLiteRows

/// The file of places: what is remembered of each access point, under the hash of its address.
///
/// Each write is a transaction that the disk has when it returns (WAL, synchronous FULL).
final class NearbyStore: Sendable {
    /// The application id of the file ("locn").
    private static let application = 0x6C6F_636E
    private static let version = 3

    private static let tables = """
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        CREATE TABLE IF NOT EXISTS access_point (
            hash BLOB PRIMARY KEY, latitude REAL NOT NULL, longitude REAL NOT NULL, spread REAL NOT NULL,
            weight REAL NOT NULL, count INTEGER NOT NULL, first_day INTEGER NOT NULL, last_day INTEGER NOT NULL,
            moves INTEGER NOT NULL, stated INTEGER NOT NULL, candidate_latitude REAL, candidate_longitude REAL,
            candidate_spread REAL, candidate_day INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS access_point_by_day ON access_point (last_day);
        CREATE TABLE IF NOT EXISTS calibration (factor REAL NOT NULL, count INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS key_mark (mark BLOB NOT NULL);
        """

    /// What version 2 lacks.
    private static let addedColumns = """
        ALTER TABLE access_point ADD COLUMN candidate_latitude REAL;
        ALTER TABLE access_point ADD COLUMN candidate_longitude REAL;
        ALTER TABLE access_point ADD COLUMN candidate_spread REAL;
        ALTER TABLE access_point ADD COLUMN candidate_day INTEGER;
        """

    let path: String
    private let key: AddressKey
    private let queue: DatabaseQueue

    /// Opens the file, or creates it.
    init(at path: String, key: AddressKey) throws(NearbyStoreError) {
        (self.path, self.key) = (path, key)
        do {
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { try Self.prepare($0, mark: key.mark) }
        } catch {
            throw NearbyStoreError(path, error)
        }
    }

    private static func prepare(_ database: Database, mark: [UInt8]) throws {
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id")
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard owner == application || (owner == 0 && isEmpty) else { throw NearbyStoreError.Unfit.otherProgram }
        let version = isEmpty ? Self.version : try Int.fetchOne(database, sql: "PRAGMA user_version")
        guard version == 2 || version == Self.version else { throw NearbyStoreError.Unfit.otherVersion }
        try database.execute(
            sql: """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = ON;
                """)
        try database.inTransaction {
            if version == 2 { try database.execute(sql: addedColumns) }
            try database.execute(sql: tables)
            return .commit
        }
        if let known = try Row.fetchOne(database, sql: "SELECT mark FROM key_mark") {
            guard try Array(known.bytes(0)) == mark else { throw NearbyStoreError.Unfit.otherKey }
        } else {
            try database.execute(sql: "INSERT INTO key_mark VALUES (?)", arguments: [Data(mark)])
        }
    }

    /// What is remembered of those of the given addresses that are known. What cannot be read counts as unknown.
    func known(of addresses: [HardwareAddress]) throws(NearbyStoreError) -> [HardwareAddress: KnownAccessPoint] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(AccessPointRow.columns) FROM access_point WHERE hash = ?")
            var found: [HardwareAddress: KnownAccessPoint] = [:]
            for address in addresses {
                guard let row = try Row.fetchOne(statement, arguments: [Data(key.hash(of: address))]) else { continue }
                found[address] = AccessPointRow.record(row)
            }
            return found
        }
    }

    /// Remembers changes and the calibration, all or none of them.
    func write(
        _ changes: [HardwareAddress: KnownAccessPoint], _ calibration: AccuracyCalibration
    ) async throws(NearbyStoreError) {
        let rows = changes.map { (Data(key.hash(of: $0.key)), $0.value) }
        try await write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO access_point (hash, \(AccessPointRow.columns))
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            for (hash, record) in rows {
                try statement.execute(arguments: StatementArguments([hash] + AccessPointRow.values(of: record)))
            }
            try database.execute(sql: "DELETE FROM calibration")
            try database.execute(
                sql: "INSERT INTO calibration VALUES (?, ?)", arguments: [calibration.factor, calibration.count])
        }
    }

    /// What accuracies were multiplied by last; as at the beginning if that cannot be read.
    func calibration() throws(NearbyStoreError) -> AccuracyCalibration {
        try read { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT factor, count FROM calibration"),
                let factor = try? row.number(0), let count = try? row.integer(1)
            else { return AccuracyCalibration() }
            return AccuracyCalibration(factor: factor, count: Int(count))
        }
    }

    /// What is remembered, in short.
    struct Summary: Sendable, Equatable {
        var count: Int
        /// Days since 1970-01-01, UTC; `nil` if nothing is remembered.
        var firstDay: Int?
        var lastDay: Int?
    }

    func summary() throws(NearbyStoreError) -> Summary {
        try read { database in
            // Days outside of the possible range are left out.
            func day(_ extreme: String, _ column: String) -> String {
                let (first, last) = (Days.possible.lowerBound, Days.possible.upperBound)
                return "CAST(\(extreme)(\(column)) FILTER (WHERE \(column) BETWEEN \(first) AND \(last)) AS INTEGER)"
            }
            let columns = [("min", "first_day"), ("max", "last_day"), ("max", "candidate_day")].map(day)
            let row = try Row.fetchOne(
                database, sql: "SELECT count(*), \(columns.joined(separator: ", ")) FROM access_point")
            guard let row else { return Summary(count: 0) }
            let days = try (1...3).map { try row.optionalNumber($0).map { Int($0) } }
            return Summary(
                count: Int(try row.integer(0)), firstDay: days[0], lastDay: days[1...].compactMap(\.self).max())
        }
    }

    /// Forgets what meets the conditions, also on the disk, and what cannot be read.
    ///
    /// - Returns: how many access points are forgotten.
    func forget(_ selection: PlaceSelection) async throws(NearbyStoreError) -> Int {
        let count = try await write { database in
            var (forgotten, returned): ([DatabaseValue], [DatabaseValue]) = ([], [])
            let rows = try Row.fetchCursor(database, sql: "SELECT \(AccessPointRow.columns), hash FROM access_point")
            while let row = try rows.next() {
                let record = AccessPointRow.record(row)
                let rest = record.flatMap(selection.remainder)
                if rest == nil { forgotten.append(row["hash"]) } else if rest != record { returned.append(row["hash"]) }
            }
            for hash in forgotten {
                try database.execute(sql: "DELETE FROM access_point WHERE hash = ?", arguments: [hash])
            }
            for hash in returned {
                try database.execute(
                    sql: """
                        UPDATE access_point SET candidate_latitude = NULL, candidate_longitude = NULL,
                        candidate_spread = NULL, candidate_day = NULL WHERE hash = ?
                        """, arguments: [hash])
            }
            return forgotten.count
        }
        // The log of changes still has what was removed, until it is emptied.
        do {
            _ = try await queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            throw NearbyStoreError(path, error)
        }
        return count
    }

    private static func count(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM access_point") ?? 0
    }

    /// Forgets what was not received since a day, and of more than so many those received longest ago.
    ///
    /// - Returns: how many are forgotten.
    @discardableResult
    func prune(before day: Int, maximumCount: Int) async throws(NearbyStoreError) -> Int {
        try await write { database in
            try database.execute(sql: "DELETE FROM access_point WHERE last_day < ?", arguments: [day])
            let old = database.changesCount
            let surplus = try Self.count(database) - maximumCount
            guard surplus > 0 else { return old }
            try database.execute(
                sql: """
                    DELETE FROM access_point WHERE hash IN
                    (SELECT hash FROM access_point ORDER BY last_day LIMIT ?)
                    """, arguments: [surplus])
            return old + database.changesCount
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(NearbyStoreError) -> Value {
        do { return try queue.read(body) } catch { throw NearbyStoreError(path, error) }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(NearbyStoreError) -> Value {
        do { return try await queue.uninterruptedWrite(body) } catch { throw NearbyStoreError(path, error) }
    }
}
