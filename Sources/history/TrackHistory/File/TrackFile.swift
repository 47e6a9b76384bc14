import FoundationEssentials
import GRDB
@_spi(Programs) package import LocationModel
@_spi(Programs) package import RegionMonitoring
import SQLiteRows
import Synchronization

/// The file that a track is written to: a GeoPackage.
///
/// Each write is a transaction that the disk has when it returns (WAL, synchronous FULL): what was written is there
/// after a loss of power, and what was not is missing whole.
package final class TrackFile: Sendable {
    package let path: String
    /// Tests read its settings.
    let pool: DatabasePool
    /// The box around all points, as the table of contents has it.
    private let extent: Mutex<GeoExtent?>

    /// Opens the file, or creates it.
    package init(at path: String) throws(TrackFileError) {
        self.path = path
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            try Self.create(at: path, configuration)
            pool = try DatabasePool(path: path, configuration: configuration)
            // The pool sets NORMAL, with which the disk has a transaction only after the next checkpoint.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            extent = Mutex(try pool.read { try GeoExtent(of: $0) })
        } catch {
            throw TrackFileError(path, error)
        }
    }

    /// Creates the tables of an empty file, and refuses what is no track of this version.
    private static func create(at path: String, _ configuration: Configuration) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { database in
            if try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0 {
                // Only before the first table: space is given back in steps, while the track is written.
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                try database.inTransaction {
                    try GeoPackageSchema.create(in: database)
                    return .commit
                }
            }
            try TrackReader.check(database, path)
        }
        try queue.close()
    }

    /// What was recorded.
    package var reader: TrackReader { TrackReader(pool, path: path) }

    /// What a recorder has to know to go on with this track.
    package func memory() throws(TrackFileError) -> TrackRecorder.Memory {
        do { return try pool.read { try TrackRecorder.Memory(of: $0) } } catch { throw TrackFileError(path, error) }
    }

    /// Carries out changes, all or none of them.
    ///
    /// - Parameter visit: what the recorder has to know of the visit after a restart; `nil` if there is none.
    package func write(_ changes: [TrackChange], visit: VisitMemory?) async throws(TrackFileError) {
        let (former, path) = (extent.withLock(\.self), path)
        do {
            let extent = try await pool.uninterruptedWrite { database in
                var writing = TrackWriting(database, extent: former)
                for change in changes { try writing.apply(change) }
                try writing.finish(visit: visit)
                return writing.extent
            }
            self.extent.withLock { $0 = extent }
        } catch {
            throw TrackFileError(path, error)
        }
    }

    /// Persists since when recording is paused, or by `nil` that it is not. An earlier moment is not replaced.
    package func setPaused(since moment: UTCTime?) async throws(TrackFileError) {
        do {
            try await pool.uninterruptedWrite { database in
                guard let moment else {
                    return try database.execute(sql: "DELETE FROM locationd_state WHERE key = 'paused'")
                }
                try database.execute(
                    sql: "INSERT OR IGNORE INTO locationd_state VALUES ('paused', ?)", arguments: [moment.description])
            }
        } catch {
            throw TrackFileError(path, error)
        }
    }

    /// Rows that are removed in one transaction, so that others write in between.
    static let portion = 5000

    /// Removes the oldest of the track, and gives its space back to the disk.
    ///
    /// - Parameters:
    ///   - moment: what ended before it is removed; `nil` for nothing.
    ///   - size: the most bytes of the file; `nil` for any.
    /// - Returns: how many points were removed.
    @discardableResult
    package func prune(before moment: UTCTime?, size: Int?) async throws(TrackFileError) -> Int {
        do {
            var removed = 0
            if let moment { removed += try await removeAll(before: moment) }
            while let size, try await pool.read({ try Self.usedSize($0) }) > size {
                guard let moment = try await pool.read({ try Self.time(ofPoint: Self.portion, in: $0) }) else { break }
                removed += try await removeAll(before: moment)
            }
            // Small steps: each holds up the next write.
            while try await pool.write({ try Self.giveBack(500, in: $0) }) {}
            return removed
        } catch {
            throw TrackFileError(path, error)
        }
    }

    private func removeAll(before moment: UTCTime) async throws -> Int {
        let time = moment.description
        var removed = 0
        while true {
            let count = try await pool.write { database in
                try database.execute(
                    sql: "DELETE FROM points WHERE id IN (SELECT id FROM points WHERE time < ? ORDER BY time LIMIT ?)",
                    arguments: [time, Self.portion])
                return database.changesCount
            }
            removed += count
            guard count == Self.portion else { break }
        }
        try await pool.write { database in
            for (table, end) in [("trips", "end"), ("stays", "departure"), ("gaps", "end")] {
                try database.execute(sql: "DELETE FROM \(table) WHERE \(end) < ?", arguments: [time])
            }
        }
        return removed
    }

    /// Bytes of the file's pages that are in use.
    private static func usedSize(_ database: Database) throws -> Int {
        func number(_ pragma: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0 }
        return (try number("page_count") - number("freelist_count")) * (try number("page_size"))
    }

    private static func time(ofPoint number: Int, in database: Database) throws -> UTCTime? {
        try String.fetchOne(
            database, sql: "SELECT time FROM points ORDER BY time LIMIT 1 OFFSET ?", arguments: [number]
        ).flatMap { UTCTime($0) }
    }

    /// - Returns: whether there are more unused pages.
    private static func giveBack(_ pages: Int, in database: Database) throws -> Bool {
        let unused = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard unused > 0 else { return false }
        _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum(\(pages))")
        return unused > pages
    }
}
