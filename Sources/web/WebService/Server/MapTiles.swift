import FoundationEssentials
import GRDB
@_spi(Programs) import LocationModel
import SQLiteRows
import Synchronization
@_spi(Programs) import SystemSupport

/// Map images of this machine: the files of a folder in the form of MBTiles 1.3, of which those with images are used.
package struct MapTiles: Sendable {
    /// What a page needs to know of a map.
    struct Map: Sendable, Hashable, Encodable {
        let name: String
        let minimumZoom: Int
        let maximumZoom: Int
        let attribution: String?
    }

    struct Tile: Sendable {
        let type: String
        let bytes: [UInt8]
    }

    /// The map is not read for some seconds, because one of its images took too long.
    struct Paused: Error {}

    private struct File: Sendable {
        let map: Map
        let type: String
        let database: UntrustedDatabase
        let pause = MapPause()
    }

    /// Seconds that an image, and the description of a map, may take: one found by an index takes less than a
    /// millisecond.
    private static let patience = 2.0
    /// Bytes of an image: an ordinary one has some ten thousand, and there may be as many in memory as there are calls.
    private static let imageLimit = 1 << 20
    /// Rows of `metadata` that are read; MBTiles 1.3 knows ten names.
    private static let metadataLimit = 1000
    /// Bytes of whose map it is.
    private static let attributionLimit = 4096

    private static let known: Set<String> = ["format", "minzoom", "maxzoom", "attribution"]
    private static let types = ["png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp"]

    private let files: [String: File]
    /// Files that cannot be used, and why.
    package let mistakes: [String]

    /// - Parameter folder: files that end with `.mbtiles`; a missing one has none.
    package init(in folder: String) {
        var (files, mistakes): ([String: File], [String]) = ([:], [])
        for name in (try? FileNames.of(folder, ending: ".mbtiles")) ?? [] {
            do {
                files[String(name.dropLast(8))] = try Self.open("\(folder)/\(name)", String(name.dropLast(8)))
            } catch {
                mistakes.append("\(folder)/\(name): \(error)")
            }
        }
        (self.files, self.mistakes) = (files, mistakes)
    }

    var maps: [Map] { files.values.map(\.map).sorted { $0.name < $1.name } }

    private static func open(_ path: String, _ name: String) throws -> File {
        let database = try UntrustedDatabase(at: path, within: patience, valueLimit: imageLimit)
        let metadata = try database.read(within: patience) { database in
            var metadata: [String: String] = [:]
            // What makes the files may have made views: they are ordinary, but may be endless.
            let rows = try Row.fetchCursor(
                database, sql: "SELECT name, value FROM metadata LIMIT ?", arguments: [metadataLimit])
            while let row = try rows.next() {
                guard let key = row.optionalText(0), known.contains(key) else { continue }
                metadata[key] = row.optionalText(1)
            }
            return metadata
        }
        guard let type = types[metadata["format"] ?? ""] else {
            throw DamagedValue("its format is \(metadata["format"]?.prefix(16) ?? "unknown"), and not png, jpg or webp")
        }
        func zoom(_ key: String, _ missing: Int) -> Int { metadata[key].flatMap { Int($0) } ?? missing }
        let attribution = metadata["attribution"]
        guard attribution?.utf8.count ?? 0 <= attributionLimit else {
            throw DamagedValue("its attribution is too long")
        }
        let map = Map(
            name: name, minimumZoom: zoom("minzoom", 0), maximumZoom: zoom("maxzoom", 18), attribution: attribution)
        return File(map: map, type: type, database: database)
    }

    /// - Parameter path: `NAME/Z/X/Y`, with y from the north.
    /// - Returns: `nil` if there is none.
    /// - Throws: ``Paused`` if the map takes too long to read, or did shortly before.
    func tile(_ path: Substring) async throws(Paused) -> Tile? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let file = files[String(parts[0])], let zoom = Int(parts[1]), (0...30).contains(zoom),
            let column = Int(parts[2]), let row = Int(parts[3]), (0..<1 << zoom).contains(row)
        else { return nil }
        guard !file.pause.isActive else { throw Paused() }
        // Rows count from the south in the file (TMS).
        let arguments: StatementArguments = [zoom, column, (1 << zoom) - 1 - row]
        let sql = "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?"
        do {
            let bytes = try await file.database.read(within: Self.patience) { database -> [UInt8]? in
                // A request that waited behind a query that took too long fails at once, without a query of its own.
                guard !file.pause.isActive else { throw Paused() }
                return try Row.fetchOne(database, sql: sql, arguments: arguments).map { Array(try $0.bytes(0)) }
            }
            return bytes.map { Tile(type: file.type, bytes: $0) }
        } catch is Paused {
            throw Paused()
        } catch UntrustedDatabase.Failure.tooSlow {
            file.pause.begin()
            throw Paused()
        } catch {
            return nil
        }
    }
}

/// How long a map is not read because an image took too long: who asks for it again and again does not keep a processor
/// busy.
private final class MapPause: Sendable {
    /// Many times what an image may take.
    private static let seconds = 30.0
    private let end = Mutex<BootInstant?>(nil)

    var isActive: Bool { end.withLock { $0.map { MachineClock.now < $0 } ?? false } }

    func begin() { end.withLock { $0 = MachineClock.now.advanced(bySeconds: Self.seconds) } }
}
