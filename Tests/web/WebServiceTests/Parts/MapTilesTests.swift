import GRDB
import ProgramTestSupport
import Testing

@testable import WebService

/// Map images by their exact names and numbers, and files that are no maps.
@Suite struct MapTilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, format: String = "png", _ tiles: [(Int, Int, Int)] = [(0, 0, 0)]) throws {
        let queue = try DatabaseQueue(path: folder(name))
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE metadata (name TEXT, value TEXT)")
            try database.execute(
                sql: "CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB)")
            for (key, value) in [("format", format), ("attribution", "the makers"), ("minzoom", "0"), ("maxzoom", "2")]
            {
                try database.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [key, value])
            }
            for (zoom, column, row) in tiles {
                let image = "\(zoom) \(column) \(row)".databaseValue
                try database.execute(
                    sql: "INSERT INTO tiles VALUES (?, ?, ?, CAST(? AS BLOB))", arguments: [zoom, column, row, image])
            }
        }
        try queue.close()
    }

    @Test func imageIsFoundFromTheNorth() async throws {
        try write("sea.mbtiles", [(0, 0, 0), (2, 1, 3)])
        let maps = MapTiles(in: folder.path)
        #expect(maps.mistakes.isEmpty)
        #expect(maps.maps == [.init(name: "sea", minimumZoom: 0, maximumZoom: 2, attribution: "the makers")])
        let tile = try #require(try await maps.tile("sea/2/1/0"))
        #expect(tile.type == "image/png" && String(decoding: tile.bytes, as: UTF8.self) == "2 1 3")
        #expect(try await maps.tile("sea/2/1/3") == nil)
    }

    @Test(arguments: [
        "", "/", "sea", "sea/0/0", "sea/0/0/0/0", "/sea/0/0/0", "sea//0/0", "lake/0/0/0", "../sea/0/0/0",
        "sea.mbtiles/0/0/0", "sea/-1/0/0",
        "sea/31/0/0", "sea/64/0/0", "sea/99999999999999999999/0/0", "sea/0/0/-1", "sea/0/0/1", "sea/0/-1/0",
        "sea/0/0/9223372036854775807",
        "sea/0/9223372036854775807/0", "sea/0/0/0.png", "sea/a/b/c", "sea/0/0/0' OR 1=1", "sea/30/0/1073741824",
    ])
    func nothingElseIsAnImage(path: String) async throws {
        try write("sea.mbtiles")
        let maps = MapTiles(in: folder.path)
        #expect(try await maps.tile("sea/0/0/0") != nil)
        #expect(try await maps.tile(path[...]) == nil)
    }

    /// What a browser would run, or cannot show, is none; the others are used all the same.
    @Test func otherFilesAreNamedAndLeftOut() async throws {
        try write("sea.mbtiles")
        for format in ["pbf", "svg", "html"] { try write("\(format).mbtiles", format: format) }
        try folder.write("no database", to: "nonsense.mbtiles")
        try folder.write("", to: "empty.mbtiles")
        try folder.makeFolder("folder.mbtiles")
        let maps = MapTiles(in: folder.path)
        #expect(maps.maps.map(\.name) == ["sea"])
        #expect(maps.mistakes.count == 6, "\(maps.mistakes)")
        #expect(
            maps.mistakes.contains { $0.hasPrefix("\(folder("svg.mbtiles")): ") && $0.contains("its format is svg") })
        #expect(MapTiles(in: folder("absent")).maps.isEmpty)
    }
}
