internal import GRDB
@_spi(Programs) internal import LocationModel
import SQLiteRows

/// A time zone and its countries.
struct TimeZoneArea: Sendable, Hashable {
    /// The IANA name.
    let name: String
    /// Its countries (ISO 3166-1 alpha-2), the one with the largest population first; empty outside of all countries.
    let countries: [String]

    /// The time zone at a position.
    ///
    /// Borders are accurate to 0.3 km. Overlaps of zones were resolved when the database was built.
    static func at(_ coordinate: Coordinate, in access: PlacesDatabase.Access) throws -> TimeZoneArea {
        let line = min(Int((coordinate.latitude + 90) * 256), 180 * 256 - 1)
        let statement = try access.database.cachedStatement(sql: "SELECT runs FROM borders WHERE line = ?")
        guard let row = try Row.fetchOne(statement, arguments: [line]) else { return highSeas(at: coordinate) }
        let bytes = [UInt8](try row.bytes(0))

        // A full turn has 2^24 steps, and 180° is the same step as -180°.
        let step = Int((coordinate.longitude + 180) / 360 * 0x100_0000) & 0xFF_FFFF
        var (west, east) = (0, bytes.count / 5)
        while west < east {
            let middle = (west + east) / 2
            if number(bytes[middle * 5..<middle * 5 + 3]) <= step { west = middle + 1 } else { east = middle }
        }
        guard west > 0 else { return highSeas(at: coordinate) }
        let zone = number(bytes[west * 5 - 2..<west * 5])
        guard let found = access.fixed.zones[Int64(zone)] else { return highSeas(at: coordinate) }
        // Stations in Antarctica use the time of their supply base; ISO 3166-1 has one code for all of Antarctica.
        return coordinate.latitude < -60 ? TimeZoneArea(name: found.name, countries: ["AQ"]) : found
    }

    /// The nautical time outside of territorial waters: each zone is 15° wide, and the first is centred on the prime
    /// meridian.
    private static func highSeas(at coordinate: Coordinate) -> TimeZoneArea {
        let hours = Int((coordinate.longitude / 15).rounded())
        // In names of this kind the sign counts west, as in POSIX.
        let name = hours == 0 ? "Etc/GMT" : "Etc/GMT\(hours > 0 ? "-" : "+")\(hours.magnitude)"
        return TimeZoneArea(name: name, countries: [])
    }

    /// Big-endian bytes as a number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
