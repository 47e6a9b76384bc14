import Foundation
import GRDB
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport

/// The repository's folder.
private let repository = Repository.root.path

/// The places database that `make geodata` makes.
func geodata() throws -> String {
    let path =
        ProcessInfo.processInfo.environment["LOCATIOND_TEST_GEODATA"] ?? "\(repository)/.build/geodata/places.sqlite"
    guard FileManager.default.fileExists(atPath: path) else { throw Failure("\(path) is missing: run make geodata") }
    return path
}

/// A small places database of a test's own.
struct HandmadeGeodata {
    let folder: TemporaryFolder
    var path: String { folder("places.sqlite") }

    /// It may go as soon as it is open.
    func open() throws -> OfflinePlaces {
        try withExtendedLifetime(folder) { try OfflinePlaces(path: path) }
    }

    init(_ fill: (Database) throws -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        let schema = try String(contentsOfFile: "\(repository)/geodata/schema.sql", encoding: .utf8)
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { database in
            try database.execute(sql: schema)
            try database.execute(sql: "INSERT INTO meta VALUES ('attribution', 'the test')")
            try fill(database)
        }
        try queue.close()
    }
}

extension Database {
    /// Adds a place; the smaller the number, the larger the place.
    func add(_ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, country: String = "AA") throws {
        let (south, west) = (Int((latitude * 1e5).rounded()), Int((longitude * 1e5).rounded()))
        try execute(
            sql: "INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, 1000)",
            arguments: [id, south, south, west, west, name, country])
        try execute(sql: "INSERT INTO names VALUES (?, ?)", arguments: [FoldedName.of(name), id])
    }

    /// Adds a time zone that lies between two longitudes everywhere.
    func add(zone id: UInt8, _ name: String, countries: String, from west: Double, to east: Double) throws {
        try execute(sql: "INSERT INTO zones VALUES (?, ?, ?)", arguments: [Int(id), name, countries])
        func bytes(_ longitude: Double) -> [UInt8] {
            let step = min(Int((longitude + 180) / 360 * 0x100_0000), 0xFF_FFFF)
            return [UInt8(step >> 16), UInt8(step >> 8 & 0xFF), UInt8(step & 0xFF), 0]
        }
        let runs = Data(bytes(west) + [id] + bytes(east) + [0])
        try execute(
            sql: """
                WITH RECURSIVE every(line) AS (SELECT 0 UNION ALL SELECT line + 1 FROM every WHERE line < 46079)
                INSERT INTO borders SELECT line, ?1 FROM every WHERE 1
                ON CONFLICT DO UPDATE SET runs = CAST(runs || ?1 AS BLOB)
                """, arguments: [runs])
    }
}

/// A position that the test knows to be one.
func position(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        throw Failure("\(latitude), \(longitude) is no position")
    }
    return coordinate
}

extension OfflinePlaces {
    /// The answer for a position.
    func here(_ latitude: Double, _ longitude: Double, locale: String? = nil) async throws -> Placemark {
        let found = try await placemarks(at: position(latitude, longitude), locale: locale)
        guard found.count == 1, let first = found.first else { throw Failure("\(found.count) answers") }
        return first
    }
}
