import GRDB
@_spi(Programs) import LocationModel
import SQLiteRows

/// The moments of the first and the last point of a trip's line, as the table has them.
///
/// Between two kept points the machine moves in a straight line, so the line begins with the last point of the place
/// that the trip has left and ends with the first of the place where it has arrived, unless a gap is between.
struct TripBounds {
    let first: String
    let last: String

    /// - Parameters:
    ///   - begin: when the trip began.
    ///   - end: when it ended; `nil` while it lasts.
    init(from begin: String, to end: String?, in database: Database) throws {
        let before = try String.fetchOne(
            database, sql: "SELECT time FROM points WHERE time <= ? ORDER BY time DESC LIMIT 1", arguments: [begin])
        if let before, try !Self.hasGap(from: before, to: begin, in: database) { first = before } else { first = begin }
        guard let end else {
            last = TrackReader.endOfTime
            return
        }
        let after = try String.fetchOne(
            database, sql: "SELECT time FROM points WHERE time >= ? ORDER BY time LIMIT 1", arguments: [end])
        if let after, try !Self.hasGap(from: end, to: after, in: database) { last = after } else { last = end }
    }

    /// The points of the line, in order.
    func forEachPoint(
        in database: Database, _ body: (_ coordinate: Coordinate, _ time: String, _ speed: Double?) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT geom, time, speed FROM points WHERE time >= ? AND time <= ? ORDER BY time, id",
            arguments: [first, last])
        while let row = try rows.next() { try body(row.coordinate(0), row.text(1), row.optionalNumber(2)) }
    }

    private static func hasGap(from begin: String, to end: String, in database: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM gaps WHERE begin >= ? AND end <= ?)"
        return try Bool.fetchOne(database, sql: sql, arguments: [begin, end]) ?? false
    }
}
