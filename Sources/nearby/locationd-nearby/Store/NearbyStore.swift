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
    private static let version = 2

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
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        guard owner == application || (owner == 0 && tables == 0) else { throw NearbyStoreError.Unfit.otherProgram }
        guard try tables == 0 || Int.fetchOne(database, sql: "PRAGMA user_version") == version else {
            throw NearbyStoreError.Unfit.otherVersion
        }
        try database.execute(
            sql: """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = ON;
                PRAGMA application_id = \(application);
                PRAGMA user_version = \(version);
                CREATE TABLE IF NOT EXISTS access_point (
                    hash BLOB PRIMARY KEY, latitude REAL NOT NULL, longitude REAL NOT NULL, spread REAL NOT NULL,
                    weight REAL NOT NULL, count INTEGER NOT NULL, first_day INTEGER NOT NULL, last_day INTEGER NOT NULL,
                    moves INTEGER NOT NULL, stated INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS access_point_by_day ON access_point (last_day);
                CREATE TABLE IF NOT EXISTS calibration (factor REAL NOT NULL, count INTEGER NOT NULL);
                CREATE TABLE IF NOT EXISTS key_mark (mark BLOB NOT NULL);
                """)
        if let known = try Row.fetchOne(database, sql: "SELECT mark FROM key_mark") {
            guard try Array(known.bytes(0)) == mark else { throw NearbyStoreError.Unfit.otherKey }
        } else {
            try database.execute(sql: "INSERT INTO key_mark VALUES (?)", arguments: [Data(mark)])
        }
    }

    /// What is remembered of those of the given addresses that are known.
    func known(of addresses: [HardwareAddress]) throws(NearbyStoreError) -> [HardwareAddress: KnownAccessPoint] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT latitude, longitude, spread, weight, count, first_day, last_day, moves, stated
                    FROM access_point WHERE hash = ?
                    """)
            var found: [HardwareAddress: KnownAccessPoint] = [:]
            for address in addresses {
                guard let row = try Row.fetchOne(statement, arguments: [Data(key.hash(of: address))]) else { continue }
                found[address] = try Self.record(row)
            }
            return found
        }
    }

    private static func record(_ row: Row) throws -> KnownAccessPoint {
        func whole(_ column: Int) throws -> Int { Int(try row.integer(column)) }
        guard let coordinate = Coordinate(latitude: try row.number(0), longitude: try row.number(1)) else {
            throw DamagedValue("a position is not on the Earth")
        }
        let (spread, weight) = (try row.number(2), try row.number(3))
        guard spread > 0, spread < 100_000, weight > 0, weight < 1000 else {
            throw DamagedValue("a number is impossible")
        }
        return KnownAccessPoint(
            coordinate: coordinate, spread: spread, weight: weight, count: try whole(4), firstDay: try whole(5),
            lastDay: try whole(6), moves: try whole(7), isStated: try whole(8) != 0)
    }

    /// Remembers changes and the calibration, all or none of them.
    func write(
        _ changes: [HardwareAddress: KnownAccessPoint], _ calibration: AccuracyCalibration
    ) async throws(NearbyStoreError) {
        let rows = changes.map { (Data(key.hash(of: $0.key)), $0.value) }
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO access_point VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for (hash, record) in rows {
                try statement.execute(arguments: [
                    hash, record.coordinate.latitude, record.coordinate.longitude, record.spread, record.weight,
                    record.count, record.firstDay, record.lastDay, record.moves, record.isStated ? 1 : 0,
                ])
            }
            try database.execute(sql: "DELETE FROM calibration")
            try database.execute(
                sql: "INSERT INTO calibration VALUES (?, ?)", arguments: [calibration.factor, calibration.count])
        }
    }

    /// What accuracies were multiplied by last.
    func calibration() throws(NearbyStoreError) -> AccuracyCalibration {
        try read { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT factor, count FROM calibration") else {
                return AccuracyCalibration()
            }
            return AccuracyCalibration(factor: try row.number(0), count: Int(try row.integer(1)))
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
            let row = try Row.fetchOne(
                database, sql: "SELECT count(*), min(first_day), max(last_day) FROM access_point")
            guard let row, try row.integer(0) > 0 else { return Summary(count: 0) }
            return Summary(
                count: Int(try row.integer(0)), firstDay: Int(try row.integer(1)), lastDay: Int(try row.integer(2)))
        }
    }

    /// Forgets what meets the conditions, also on the disk.
    ///
    /// - Returns: how many are forgotten.
    func forget(_ selection: PlaceSelection) async throws(NearbyStoreError) -> Int {
        let count = try await write { database in
            var hashes: [Data] = []
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT latitude, longitude, spread, weight, count, first_day, last_day, moves, stated, hash
                    FROM access_point
                    """)
            while let row = try rows.next() {
                if selection.contains(try Self.record(row)) { hashes.append(Data(try row.bytes(9))) }
            }
            for hash in hashes {
                try database.execute(sql: "DELETE FROM access_point WHERE hash = ?", arguments: [hash])
            }
            return hashes.count
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
