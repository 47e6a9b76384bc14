import Glibc
import SystemSupport

/// The files of the pages, which are read when the service starts. A request names one of them exactly, so no path leads out.
package struct StaticFiles: Sendable {
    package struct File: Sendable {
        package let type: String
        package let bytes: [UInt8]
        /// Changes with the content.
        package let tag: String
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private var files: [String: File] = [:]

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "geojson": "application/geo+json",
        "webmanifest": "application/manifest+json",
    ]
    /// Bytes of one file: more is none of a page's.
    private static let sizeLimit = 16 << 20

    package init() {}

    package subscript(path: String) -> File? { files[path] }

    /// Adds the files of a folder and of the folders in it.
    ///
    /// - Parameter prefix: what precedes their names in requests, such as `/leaflet/`.
    /// - Throws: why the folder cannot be read.
    package mutating func add(_ folder: String, under prefix: String, depth: Int = 2) throws(Failure) {
        let names: [String]
        do { names = try FileNames.of(folder) } catch { throw Failure(description: error.description) }
        for name in names {
            let path = "\(folder)/\(name)"
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                if depth > 1 { try add(path, under: "\(prefix)\(name)/", depth: depth - 1) }
            } else if status.st_mode & S_IFMT == S_IFREG,
                let type = name.split(separator: ".").last.flatMap({ Self.types[String($0)] })
            {
                guard let bytes = Self.content(of: path) else {
                    throw Failure(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
                }
                files["\(prefix)\(name)"] = File(type: type, bytes: bytes, tag: "\"\(Self.hash(bytes))\"")
            }
        }
    }

    private static func content(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count >= 0, bytes.count + count <= sizeLimit else { return nil }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// FNV-1a of 64 bits (draft-eastlake-fnv): to notice a change, not to prevent one.
    private static func hash(_ bytes: [UInt8]) -> String {
        String(bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }
}
