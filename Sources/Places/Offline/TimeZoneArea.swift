internal import GRDB
internal import LocationModel

/// Where one time zone is kept.
struct TimeZoneArea: Sendable, Hashable {
    /// By the IANA database.
    let name: String
    /// The countries it is of (ISO 3166-1 alpha-2), that with most places first; none where none rules.
    let countries: [String]

    /// The time zone at a position.
    ///
    /// The border is right within 0.3 km. Overlapping zones have been decided when the database was made.
    static func at(_ coordinate: Coordinate, in access: PlacesDatabase.Access) throws -> TimeZoneArea {
        let line = min(Int((coordinate.latitude + 90) * 256), 180 * 256 - 1)
        let statement = try access.database.cachedStatement(sql: "SELECT runs FROM borders WHERE line = ?")
        guard let row = try Row.fetchOne(statement, arguments: [line]) else { return highSeas(at: coordinate) }
        let bytes = [UInt8](try row.bytes(0))

        // A turn of the Earth is 2^24 steps, and 180° is where -180° is.
        let step = Int((coordinate.longitude + 180) / 360 * 0x100_0000) & 0xFF_FFFF
        var (west, east) = (0, bytes.count / 5)
        while west < east {
            let middle = (west + east) / 2
            if number(bytes[middle * 5..<middle * 5 + 3]) <= step { west = middle + 1 } else { east = middle }
        }
        guard west > 0 else { return highSeas(at: coordinate) }
        let zone = number(bytes[west * 5 - 2..<west * 5])
        guard let found = access.fixed.zones[Int64(zone)] else { return highSeas(at: coordinate) }
        // Stations in Antarctica keep the time of whom they are supplied by; ISO 3166-1 has one code for all of it.
        return coordinate.latitude < -60 ? TimeZoneArea(name: found.name, countries: ["AQ"]) : found
    }

    /// A ship's time outside of territorial waters: each zone is 15° wide, the first lies around the prime meridian.
    private static func highSeas(at coordinate: Coordinate) -> TimeZoneArea {
        let hours = Int((coordinate.longitude / 15).rounded())
        // In names of this kind, POSIX counts west.
        let name = hours == 0 ? "Etc/GMT" : "Etc/GMT\(hours > 0 ? "-" : "+")\(hours.magnitude)"
        return TimeZoneArea(name: name, countries: [])
    }

    /// Bytes as a number, the highest first.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
