import FoundationEssentials
import GRDB
import SQLiteRows
import SystemSupport

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

    private struct File: Sendable {
        let map: Map
        let type: String
        let queue: DatabaseQueue
    }

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
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        return try queue.read { database in
            var metadata: [String: String] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT name, value FROM metadata") {
                if let key = row.optionalText(0) { metadata[key] = row.optionalText(1) }
            }
            guard let type = types[metadata["format"] ?? ""] else {
                throw DamagedValue("its format is \(metadata["format"] ?? "unknown"), and not png, jpg or webp")
            }
            func zoom(_ key: String, _ missing: Int) -> Int { metadata[key].flatMap { Int($0) } ?? missing }
            let map = Map(
                name: name, minimumZoom: zoom("minzoom", 0), maximumZoom: zoom("maxzoom", 18),
                attribution: metadata["attribution"])
            return File(map: map, type: type, queue: queue)
        }
    }

    /// - Parameter path: `NAME/Z/X/Y`, with y from the north.
    /// - Returns: `nil` if there is none.
    func tile(_ path: Substring) async -> Tile? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let file = files[String(parts[0])], let zoom = Int(parts[1]), (0...30).contains(zoom),
            let column = Int(parts[2]), let row = Int(parts[3]), (0..<1 << zoom).contains(row)
        else { return nil }
        // Rows count from the south in the file (TMS).
        let arguments: StatementArguments = [zoom, column, (1 << zoom) - 1 - row]
        let sql = "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?"
        let bytes = try? await file.queue.read { database in
            try Row.fetchOne(database, sql: sql, arguments: arguments).map { Array(try $0.bytes(0)) }
        }
        return (bytes ?? nil).map { Tile(type: file.type, bytes: $0) }
    }
}
