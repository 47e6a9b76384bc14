import FoundationEssentials
import GRDB
import Glibc
@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel
@_spi(Programs) import RegionMonitoring
import SQLiteRows

/// Reads a track's file, also while it is written.
package struct TrackReader: Sendable {
    private enum Source: Sendable {
        /// A file that this process writes.
        case own(any DatabaseReader)
        /// One that somebody else may have made, with the intention to do harm too.
        case untrusted(UntrustedDatabase)
    }

    /// Seconds that one read of a file of others may take; on a slow disk, too, it takes milliseconds.
    private static let patience = 10.0

    private let source: Source
    package let path: String

    /// Opens a file that no service of this process writes.
    package init(at path: String) throws(TrackFileError) {
        guard access(path, F_OK) == 0 else {
            throw TrackFileError(path, String(cString: strerror(errno)), "check the path")
        }
        do {
            source = .untrusted(try UntrustedDatabase(at: path, within: Self.patience, busyTimeout: 5))
        } catch {
            throw TrackFileError(path, error)
        }
        self.path = path
        try read { try Self.check($0, path) }
    }

    init(_ database: any DatabaseReader, path: String) {
        (source, self.path) = (.own(database), path)
    }

    /// - Throws: what is wrong if the file is no track of this version.
    static func check(_ database: Database, _ path: String) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA application_id") == GeoPackageSchema.application,
            try database.tableExists("locationd_state")
        else {
            throw TrackFileError(path, "it is not a track of locationd-history", "name another file")
        }
        let row = try Row.fetchOne(database, sql: "SELECT value FROM locationd_state WHERE key = 'version'")
        let version = row?.optionalText(0)
        guard version == String(GeoPackageSchema.version) else {
            throw TrackFileError(
                path, "it has version \(version ?? "none"), and this program version \(GeoPackageSchema.version)",
                "use the program that has written it, or a newer one")
        }
    }

    /// The trips, or the stays, of one answer, at most.
    private static let answerLimit = 10_000

    /// The trips that touch a time, the oldest first.
    package func trips(from: UTCTime? = nil, to: UTCTime? = nil) throws(TrackFileError) -> [Trip] {
        try read { database in
            // Row by row, because those of a file of others may be large.
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Trip.columns) FROM trips
                    WHERE (?1 IS NULL OR end IS NULL OR end >= ?1) AND (?2 IS NULL OR begin <= ?2) ORDER BY id LIMIT ?3
                    """, arguments: [from?.description, to?.description, Self.answerLimit])
            var trips = try Array(rows.map { try Trip($0) })
            // One trip at most lasts, the newest; more are of a file of others, and would be measured over and over.
            if let last = trips.indices.last, trips[last].end == nil { try trips[last].measureSoFar(in: database) }
            return trips
        }
    }

    package func trip(_ number: Int64) throws(TrackFileError) -> Trip? {
        try read { database in
            try Row.fetchOne(
                database, sql: "SELECT \(Trip.columns) FROM trips WHERE id = ?",
                arguments: [number]
            ).map { try Trip($0) }
        }
    }

    /// The stays that touch a time, the oldest first.
    package func stays(from: UTCTime? = nil, to: UTCTime? = nil) throws(TrackFileError) -> [Stay] {
        try read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT geom, accuracy, arrival, departure FROM stays
                    WHERE (?1 IS NULL OR departure IS NULL OR departure >= ?1)
                    AND (?2 IS NULL OR arrival IS NULL OR arrival <= ?2) ORDER BY id LIMIT ?3
                    """, arguments: [from?.description, to?.description, Self.answerLimit])
            return try Array(
                rows.map { row in
                    Stay(
                        at: try row.coordinate(0), accuracy: try row.number(1), arrival: try row.optionalTime(2),
                        departure: try row.optionalTime(3))
                })
        }
    }

    /// The moments of the first and the last point; `nil` while there is none.
    package func span() throws(TrackFileError) -> (first: UTCTime, last: UTCTime)? {
        try read { database in
            guard let row = try Row.fetchOne(database, sql: "SELECT min(time), max(time) FROM points"),
                let first = try row.optionalTime(0)
            else { return nil }
            return (first, try row.time(1))
        }
    }

    /// Bytes of the file and of the log beside it.
    package var size: Int {
        [path, path + "-wal"].reduce(0) { sum, path in
            var entry = stat()
            return stat(path, &entry) == 0 ? sum + Int(entry.st_size) : sum
        }
    }

    /// Since when recording is paused; `nil` unless it is.
    package func pausedSince() throws(TrackFileError) -> UTCTime? {
        try read { database in
            try Row.fetchOne(database, sql: "SELECT value FROM locationd_state WHERE key = 'paused'").map {
                try $0.time(0)
            }
        }
    }

    /// What is after every moment, as the table has them.
    static let endOfTime = "a"

    /// Which points to read.
    package struct Selection: Sendable, Hashable {
        package var from: UTCTime?
        package var to: UTCTime?
        /// Those of its line, so far as they are between the two moments too.
        package var trip: Trip?
        package var includesSimulated = false
        /// Where the track ends; `nil` for its newest point at each reading.
        package var end: End?
        package init() {}
    }

    /// The end of the track at a moment: nothing that was written later is before it.
    package struct End: Sendable, Hashable {
        /// The latest time of a point.
        fileprivate let latest: String
        /// The point that was written last. A later one has a higher number or, in the place of this one, another time.
        fileprivate let last: Position
    }

    /// The end of the track now; `nil` while there is no point.
    package func end() throws(TrackFileError) -> End? {
        try read { database in
            let sql = "SELECT time, id, (SELECT max(time) FROM points) FROM points ORDER BY id DESC LIMIT 1"
            return try Row.fetchOne(database, sql: sql).map { row in
                End(latest: try row.text(2), last: Position(time: try row.text(0), id: try row.integer(1)))
            }
        }
    }

    /// Points in order, the oldest first.
    ///
    /// - Parameters:
    ///   - position: where to go on; `nil` for the beginning.
    ///   - limit: the most points.
    /// - Returns: the points, and where to go on; `nil` if these were the last.
    package func points(
        _ selection: Selection, after position: Position? = nil, limit: Int
    ) throws(TrackFileError) -> (points: [TrackPoint], next: Position?) {
        try read { database in
            var bounds = (first: selection.from?.description ?? "", last: selection.to?.description ?? Self.endOfTime)
            if let trip = selection.trip {
                let line = try TripBounds(from: trip.begin.description, to: trip.end?.description, in: database)
                bounds = (max(bounds.first, line.first), min(bounds.last, line.last))
            }
            // SQLite begins with the first point of the index, and not at the position, if it has two lower bounds.
            if let position { bounds.first = max(bounds.first, position.time) }
            if let end = selection.end { bounds.last = min(bounds.last, end.latest) }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(TrackPoint.columns), id, EXISTS (SELECT 1 FROM gaps WHERE gaps.end = points.time)
                    FROM points
                    WHERE time >= ?1 AND time <= ?2 AND (?3 OR NOT simulated AND method != 'replayed')
                    AND (time, id) > (?4, ?5) AND (id < ?7 OR id = ?7 AND time = ?8) ORDER BY time, id LIMIT ?6
                    """,
                arguments: [
                    bounds.first, bounds.last, selection.includesSimulated, position?.time ?? "", position?.id ?? -1,
                    limit, selection.end?.last.id ?? .max, selection.end?.last.time ?? "",
                ])
            var (points, next): ([TrackPoint], Position?) = ([], nil)
            while let row = try rows.next() {
                var point = try TrackPoint(row)
                point.isAfterGap = try row.integer(TrackPoint.columnCount + 1) != 0
                points.append(point)
                if points.count == limit {
                    next = Position(time: try row.text(1), id: try row.integer(TrackPoint.columnCount))
                }
            }
            return (points, next)
        }
    }

    /// The place of a point in the order of all.
    package struct Position: Sendable, Hashable, Codable {
        let time: String
        let id: Int64
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(TrackFileError) -> Value {
        do {
            switch source {
            case .own(let database): return try database.read(body)
            case .untrusted(let database):
                return try database.read(within: Self.patience) { database in
                    // In the same transaction: who has made the file may also change it.
                    try GeoPackageSchema.requireTables(of: database)
                    return try body(database)
                }
            }
        } catch {
            throw TrackFileError(path, error)
        }
    }
}

extension Trip {
    /// The columns of a trip, in the order in which they are read.
    fileprivate static let columns = "id, begin, end, distance, duration, maximum_speed"

    fileprivate init(_ row: Row) throws {
        self.init(
            number: try row.integer(0), begin: try row.time(1), end: try row.optionalTime(2),
            distance: try row.optionalNumber(3), duration: try row.optionalNumber(4),
            maximumSpeed: try row.optionalNumber(5))
    }

    /// Measures a trip that lasts, up to the newest point.
    fileprivate mutating func measureSoFar(in database: Database) throws {
        var (distance, last): (Double, (place: Coordinate, time: String)?) = (0, nil)
        try TripBounds(from: begin.description, to: nil, in: database).forEachPoint(in: database) { place, time, _ in
            if let last { distance += last.place.distance(to: place) }
            last = (place, time)
        }
        guard let last, let newest = UTCTime(last.time), newest >= begin else { return }
        (distanceSoFar, durationSoFar) = (distance, newest.seconds(since: begin))
    }
}

extension TrackPoint {
    /// The columns of a point, in the order in which they are read.
    fileprivate static let columns = """
        geom, time, source, simulated, method, altitude, speed, course, horizontal_accuracy, vertical_accuracy, satellites
        """
    fileprivate static let columnCount = 11
    /// Bytes; no configured source has a longer name.
    private static let longestName = 1024

    fileprivate init(_ row: Row) throws {
        let time = try row.time(1)
        let method = row.optionalText(4).flatMap { LocationMethod(rawValue: $0) } ?? .unknown
        let name = try row.text(2)
        guard name.utf8.count <= Self.longestName else { throw DamagedValue("the name of a source is too long") }
        let source = SourceInformation(name: name, method: method, isSimulated: try row.integer(3) != 0)
        let altitude = try row.optionalNumber(5)
        // Its moments are compared with each other alone.
        let moment = BootInstant(seconds: time.seconds(since: UTCTime(seconds: 0)))
        var location = Location(
            coordinate: try row.coordinate(0), mode: altitude == nil ? .twoDimensional : .threeDimensional,
            monotonicTime: moment, source: source)
        location.timestamp = time
        location.altitude = altitude
        (location.speed, location.course) = (try row.optionalNumber(6), try row.optionalNumber(7))
        location.horizontalAccuracy = try row.optionalNumber(8)
        location.verticalAccuracy = try row.optionalNumber(9)
        location.satellitesUsed = try row.optionalNumber(10).flatMap { Int(exactly: $0) }
        self.init(location, at: time)
    }
}

extension TrackRecorder.Memory {
    init(of database: Database) throws {
        self.init()
        let points = "SELECT \(TrackPoint.columns) FROM points ORDER BY id DESC LIMIT 1"
        last = try Row.fetchOne(database, sql: points).map { try TrackPoint($0) }
        isOnTrip = try Int.fetchOne(database, sql: "SELECT count(*) FROM trips WHERE end IS NULL") ?? 0 > 0
        let stays = "SELECT geom, arrival, accuracy FROM stays WHERE departure IS NULL ORDER BY id DESC LIMIT 1"
        if let row = try Row.fetchOne(database, sql: stays), let accuracy = try row.optionalNumber(2) {
            stay = Visit(
                coordinate: try row.coordinate(0), horizontalAccuracy: accuracy, arrival: try row.optionalTime(1),
                isPresent: true)
        }
        let visits = "SELECT value FROM locationd_state WHERE key = 'visit'"
        if stay != nil, let row = try Row.fetchOne(database, sql: visits) {
            visit = try? JSONDecoder().decode(VisitMemory.self, from: Data(try row.text(0).utf8))
        }
        let pauses = "SELECT count(*) FROM locationd_state WHERE key = 'paused'"
        isInterrupted = try Int.fetchOne(database, sql: pauses) ?? 0 > 0
        // Without what the tracker has to know the stay cannot end by it.
        if visit == nil { stay = nil }
    }
}

/// The conversions that the track's tables need.
extension Row {
    func time(_ column: Int) throws -> UTCTime {
        guard let time = UTCTime(try text(column)) else { throw DamagedValue("a time is missing") }
        return time
    }

    /// `nil` if there is none.
    func optionalTime(_ column: Int) throws -> UTCTime? { optionalText(column) == nil ? nil : try time(column) }

    func coordinate(_ column: Int) throws -> Coordinate {
        guard let coordinate = GeoPackageGeometry.coordinate(of: try bytes(column)) else {
            throw DamagedValue("a position is missing")
        }
        return coordinate
    }
}
