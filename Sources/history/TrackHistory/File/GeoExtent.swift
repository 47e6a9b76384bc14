import GRDB
@_spi(Programs) import LocationModel
import SQLiteRows

/// The box around all points, degrees. Around the antimeridian it is as wide as the Earth.
struct GeoExtent: Sendable, Hashable {
    let west: Double
    let south: Double
    let east: Double
    let north: Double

    init(_ extent: GeoExtent?, with coordinate: Coordinate) {
        west = min(extent?.west ?? coordinate.longitude, coordinate.longitude)
        east = max(extent?.east ?? coordinate.longitude, coordinate.longitude)
        south = min(extent?.south ?? coordinate.latitude, coordinate.latitude)
        north = max(extent?.north ?? coordinate.latitude, coordinate.latitude)
    }

    /// As the table of contents has it; `nil` while there is no point.
    init?(of database: Database) throws {
        let sql = "SELECT min_x, min_y, max_x, max_y FROM gpkg_contents WHERE table_name = 'points'"
        guard let row = try Row.fetchOne(database, sql: sql), let west = try row.optionalNumber(0),
            let south = try row.optionalNumber(1), let east = try row.optionalNumber(2),
            let north = try row.optionalNumber(3)
        else { return nil }
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }

    func contains(_ coordinate: Coordinate) -> Bool {
        (west...east).contains(coordinate.longitude) && (south...north).contains(coordinate.latitude)
    }
}
