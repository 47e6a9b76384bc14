package import Foundation
import Glibc

/// A folder of the test's own, with a path short enough for sockets; it is removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/locationd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("no temporary folder: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // Clients of other users pass through it.
        chmod(path, 0o755)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in the folder.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of what is in the folder, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Writes a file, and the folders on the way to it.
    /// - Returns: its path.
    @discardableResult
    package func write(_ data: Data, to name: String) throws -> String {
        let file = URL(filePath: self(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        return file.path
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String { try write(Data(text.utf8), to: name) }

    /// Makes a folder inside.
    /// - Parameter owner: the user who owns it instead of the test's.
    /// - Returns: its path.
    @discardableResult
    package func makeFolder(_ name: String, owner: UInt32? = nil) throws -> String {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
        if let owner { attributes[.ownerAccountID] = NSNumber(value: owner) }
        try FileManager.default.createDirectory(
            atPath: self(name), withIntermediateDirectories: false, attributes: attributes)
        return self(name)
    }

    /// The permissions of a file.
    package func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: self(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}

/// The content of a file, or nothing if there is none. All of a file of `/proc` too, of which Foundation reads the
/// first page alone.
package func text(of path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var page = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(file, &page, page.count), count > 0 { bytes += page.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
}
