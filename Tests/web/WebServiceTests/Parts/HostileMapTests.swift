import GRDB
import Glibc
import ProgramTestSupport
import Testing

@testable import WebService

/// Map files that somebody has made to do harm: they are read in bounded time and memory, or not at all.
@Suite struct HostileMapTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)"

    /// - Parameter tiles: what the view of images selects.
    private func write(
        _ name: String, metadata: String = "SELECT 'format' name, 'png' value", tiles: String
    ) throws {
        let queue = try DatabaseQueue(path: folder(name))
        try queue.write { database in
            try database.execute(sql: "CREATE VIEW metadata AS \(metadata)")
            try database.execute(sql: "CREATE VIEW tiles AS \(tiles)")
        }
        try queue.close()
    }

    private static func view(_ image: String) -> String {
        "SELECT 0 zoom_level, 0 tile_column, 0 tile_row, \(image) tile_data"
    }

    /// Tools that store equal images once make views.
    @Test func ordinaryViewIsAMap() async throws {
        try write("sea.mbtiles", tiles: Self.view("CAST('image' AS BLOB)"))
        let maps = MapTiles(in: folder.path)
        #expect(maps.mistakes.isEmpty)
        #expect(try await maps.tile("sea/0/0/0")?.bytes == Array("image".utf8))
    }

    /// Others do not wait for it, neither for this map nor for another.
    @Test func endlessViewEndsAndPausesItsMapAlone() async throws {
        try write(
            "sea.mbtiles",
            tiles: "\(Self.endless) SELECT i + 1 zoom_level, 0 tile_column, 0 tile_row, x'00' tile_data FROM n")
        try write("lake.mbtiles", tiles: Self.view("CAST('image' AS BLOB)"))
        let maps = MapTiles(in: folder.path)
        #expect(maps.maps.count == 2)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do { _ = try await maps.tile("sea/0/0/0") } catch { return true }
                    return false
                }
            }
            for await isPaused in group { #expect(isPaused) }
        }
        #expect(try await maps.tile("lake/0/0/0") != nil)
        let start = ContinuousClock.now
        await #expect(throws: MapTiles.Paused.self) { try await maps.tile("sea/0/0/0") }
        #expect(ContinuousClock.now - start < .seconds(1), "it is read again")
    }

    @Test func hugeImageIsNone() async throws {
        try write("sea.mbtiles", tiles: Self.view("zeroblob(400000000)"))
        let maps = MapTiles(in: folder.path)
        #expect(maps.maps.count == 1)
        #expect(try await maps.tile("sea/0/0/0") == nil)
    }

    @Test func endlessMetadataIsNoMap() throws {
        try write(
            "sea.mbtiles", metadata: "\(Self.endless) SELECT i name, 'png' value FROM n WHERE i < 0",
            tiles: Self.view("x'00'"))
        try write(
            "lake.mbtiles", metadata: "\(Self.endless) SELECT 'format' || i name, 'png' value FROM n",
            tiles: Self.view("x'00'"))
        let maps = MapTiles(in: folder.path)
        #expect(maps.maps.isEmpty)
        #expect(maps.mistakes.contains { $0.hasSuffix("sea.mbtiles: it takes too long to read") }, "\(maps.mistakes)")
        #expect(maps.mistakes.contains { $0.contains("its format is unknown") }, "\(maps.mistakes)")
    }

    /// Its matching is one step, which no deadline ends.
    @Test(arguments: [(50, true), (51, false)]) func longPatternIsNoMap(length: Int, isMap: Bool) throws {
        let pattern = String(repeating: "%", count: length)
        try write(
            "sea.mbtiles", metadata: "SELECT 'format' name, 'png' value WHERE 'a' LIKE '\(pattern)'",
            tiles: Self.view("x'00'"))
        #expect(MapTiles(in: folder.path).maps.isEmpty != isMap)
    }

    /// Opening one would wait for whoever writes to it.
    @Test(arguments: ["", "-journal", "-wal"]) func fifoIsNoMap(suffix: String) throws {
        if !suffix.isEmpty { try write("sea.mbtiles", tiles: Self.view("x'00'")) }
        #expect(mkfifo(folder("sea.mbtiles\(suffix)"), 0o600) == 0)
        let maps = MapTiles(in: folder.path)
        #expect(maps.maps.isEmpty)
        #expect(maps.mistakes == ["\(folder("sea.mbtiles")): \(folder("sea.mbtiles\(suffix)")) is no regular file"])
    }

    /// A view runs no function that could read or write anything else.
    @Test func viewHasNoDangerousFunctions() async throws {
        try write("sea.mbtiles", tiles: Self.view("load_extension('/nonexistent')"))
        #expect(try await MapTiles(in: folder.path).tile("sea/0/0/0") == nil)
    }
}
