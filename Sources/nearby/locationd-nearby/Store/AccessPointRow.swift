import AccessPoints
import GRDB
import LocationModel
import SQLiteRows

/// What is remembered of an access point as a row of the file of places, without its hash.
enum AccessPointRow {
    static let columns = """
        latitude, longitude, spread, weight, count, first_day, last_day, moves, stated, candidate_latitude,
        candidate_longitude, candidate_spread, candidate_day
        """

    /// The values of the ``columns``.
    static func values(of record: KnownAccessPoint) -> [(any DatabaseValueConvertible)?] {
        let candidate = record.candidate
        return [
            record.coordinate.latitude, record.coordinate.longitude, record.spread, record.weight, record.count,
            record.firstDay, record.lastDay, record.moves, record.isStated ? 1 : 0, candidate?.coordinate.latitude,
            candidate?.coordinate.longitude, candidate?.spread, candidate?.day,
        ]
    }

    /// - Parameter row: begins with the ``columns``.
    /// - Returns: `nil` if a value is missing or impossible.
    static func record(_ row: Row) -> KnownAccessPoint? {
        try? {
            let (coordinate, spread) = try place(row, 0)
            return KnownAccessPoint(
                coordinate: coordinate, spread: spread, weight: try number(row, 3, in: 0.nextUp...Double.infinity),
                count: try integer(row, 4, in: 1...1_000_000), firstDay: try integer(row, 5, in: Days.possible),
                lastDay: try integer(row, 6, in: Days.possible), moves: try integer(row, 7, in: 0...Int.max),
                candidate: try row.optionalNumber(12) == nil ? nil : candidate(row),
                isStated: try integer(row, 8, in: 0...1) != 0)
        }()
    }

    private static func candidate(_ row: Row) throws -> PlaceCandidate {
        let (coordinate, spread) = try place(row, 9)
        return PlaceCandidate(coordinate: coordinate, spread: spread, day: try integer(row, 12, in: Days.possible))
    }

    private static func place(_ row: Row, _ column: Int) throws -> (Coordinate, spread: Double) {
        guard let coordinate = Coordinate(latitude: try row.number(column), longitude: try row.number(column + 1))
        else { throw DamagedValue("a position is not on the Earth") }
        return (coordinate, try number(row, column + 2, in: 0.nextUp...100_000))
    }

    private static func number(_ row: Row, _ column: Int, in range: ClosedRange<Double>) throws -> Double {
        try checked(row.number(column), in: range)
    }

    private static func integer(_ row: Row, _ column: Int, in range: ClosedRange<Int>) throws -> Int {
        try checked(Int(row.integer(column)), in: range)
    }

    private static func checked<Value>(_ value: Value, in range: ClosedRange<Value>) throws -> Value {
        guard range.contains(value) else { throw DamagedValue("a number is impossible") }
        return value
    }
}
