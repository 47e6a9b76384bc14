import Foundation

/// A folder that everybody may look into, gone with its last reader.
final class TemporaryFolder {
    let path: String

    init() throws {
        // Short, because the path of a Unix socket has 107 bytes at most.
        path = "/tmp/locationd-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file into the folder.
    /// - Returns: its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }

    /// A folder inside, owned by a user.
    func folder(_ name: String, owner: UInt32? = nil) throws -> String {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        if let owner { attributes[.ownerAccountID] = NSNumber(value: owner) }
        try FileManager.default.createDirectory(
            atPath: file(name), withIntermediateDirectories: false, attributes: attributes)
        return file(name)
    }
}

/// What a file holds, or nothing if it is not there.
func text(of path: String) -> String {
    (FileManager.default.contents(atPath: path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
}
