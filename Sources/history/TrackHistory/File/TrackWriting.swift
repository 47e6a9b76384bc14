import FoundationEssentials
import GRDB
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import SQLiteRows

/// The changes of one transaction.
struct TrackWriting {
    /// Metres: a shorter trip is the machine that was moved about, or the receiver's noise.
    static let shortestTrip = 100.0

    private let database: Database
    private(set) var extent: GeoExtent?
    /// Points that are not yet in the table, since most of them are left out again.
    private var points: [TrackPoint] = []
    private var isChanged = false

    init(_ database: Database, extent: GeoExtent?) {
        self.database = database
        self.extent = extent
    }

    mutating func apply(_ change: TrackChange) throws {
        switch change {
        case .add(let point): points.append(point)
        case .removePrevious:
            if points.popLast() == nil {
                try database.execute(sql: "DELETE FROM points WHERE id = (SELECT max(id) FROM points)")
            }
        case .addGap(let from, let to):
            let line = GeoPackageGeometry.line([from.location.coordinate, to.location.coordinate])
            try database.execute(
                sql: "INSERT INTO gaps (geom, begin, end) VALUES (?, ?, ?)",
                arguments: [line, from.time.description, to.time.description])
            isChanged = true
        case .beginTrip(let time):
            try database.execute(sql: "INSERT INTO trips (begin) VALUES (?)", arguments: [time.description])
            isChanged = true
        case .endTrip(let time, let speed): try endTrip(at: time, maximumSpeed: speed)
        case .beginStay(let visit):
            try database.execute(
                sql: "INSERT INTO stays (geom, arrival, accuracy) VALUES (?, ?, ?)",
                arguments: [
                    GeoPackageGeometry.point(visit.coordinate), visit.arrival?.description, visit.horizontalAccuracy,
                ])
            isChanged = true
        case .endStay(let visit):
            try database.execute(
                sql: """
                    UPDATE stays SET geom = ?, accuracy = ?, departure = ?
                    WHERE id = (SELECT max(id) FROM stays WHERE departure IS NULL)
                    """,
                arguments: [
                    GeoPackageGeometry.point(visit.coordinate), visit.horizontalAccuracy,
                    (visit.departure ?? visit.arrival)?.description,
                ])
            isChanged = true
        }
    }

    /// Metres by which the radius of a stay grows before its row follows, so that seldom a row changes with a location.
    private static let radiusStep = 1.0

    /// The stay that lasts has the radius that holds its locations so far.
    private mutating func updateStay(_ visit: Visit) throws {
        try database.cachedStatement(
            sql: """
                UPDATE stays SET geom = ?1, accuracy = ?2
                WHERE id = (SELECT max(id) FROM stays) AND departure IS NULL AND accuracy + ?3 < ?2
                """
        ).execute(arguments: [
            GeoPackageGeometry.point(visit.coordinate), visit.horizontalAccuracy, Self.radiusStep,
        ])
        if database.changesCount > 0 { isChanged = true }
    }

    /// Writes what is left, and the table of contents where it has changed.
    mutating func finish(visit: VisitMemory?) throws {
        try insertPoints()
        if let visit { try updateStay(visit.visit) }
        if isChanged, let extent {
            try database.execute(
                sql: """
                    UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ?,
                    last_change = strftime('%Y-%m-%dT%H:%M:%fZ','now')
                    """, arguments: [extent.west, extent.south, extent.east, extent.north])
        }
        guard let visit else {
            return try database.execute(sql: "DELETE FROM locationd_state WHERE key = 'visit'")
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO locationd_state VALUES ('visit', ?)",
            arguments: [String(decoding: try JSONEncoder().encode(visit), as: UTF8.self)])
    }

    private mutating func insertPoints() throws {
        for point in points {
            let location = point.location
            try database.cachedStatement(
                sql: """
                    INSERT INTO points (geom, time, altitude, speed, course, horizontal_accuracy, vertical_accuracy,
                    satellites, source, method, simulated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                GeoPackageGeometry.point(location.coordinate), point.time.description, location.altitude,
                location.speed,
                location.course, location.horizontalAccuracy, location.verticalAccuracy, location.satellitesUsed,
                location.source.name, location.source.method.rawValue, location.source.isSimulated,
            ])
            if let extent, extent.contains(location.coordinate) { continue }
            extent = GeoExtent(extent, with: location.coordinate)
            isChanged = true
        }
        points = []
    }

    /// Draws the line of the trip that is open, or removes it if it is too short.
    private mutating func endTrip(at time: UTCTime, maximumSpeed: Double?) throws {
        try insertPoints()
        isChanged = true
        guard
            let trip = try Row.fetchOne(
                database, sql: "SELECT id, begin FROM trips WHERE end IS NULL ORDER BY id DESC LIMIT 1")
        else { return }
        let (number, begin) = (try trip.integer(0), try trip.text(1))
        var coordinates: [Coordinate] = []
        var distance = 0.0
        var speed = maximumSpeed
        let bounds = try TripBounds(from: begin, to: time.description, in: database)
        try bounds.forEachPoint(in: database) { coordinate, _, speedThere in
            if let last = coordinates.last { distance += last.distance(to: coordinate) }
            coordinates.append(coordinate)
            speed = [speed, speedThere].compactMap(\.self).max()
        }
        guard distance >= Self.shortestTrip, let first = UTCTime(begin) else {
            return try database.execute(sql: "DELETE FROM trips WHERE id = ?", arguments: [number])
        }
        try database.execute(
            sql: """
                UPDATE trips SET geom = ?, end = ?, distance = ?, duration = ?, maximum_speed = ? WHERE id = ?
                """,
            arguments: [
                GeoPackageGeometry.line(coordinates), time.description, distance, time.seconds(since: first), speed,
                number,
            ])
    }
}
