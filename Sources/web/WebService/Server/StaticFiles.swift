import Glibc
import NIOCore
@_spi(Programs) import SystemSupport

/// The files of the pages, which are read when the service starts. A request names one of them exactly, so no path
/// leads out.
package struct StaticFiles: Sendable {
    package struct File: Sendable {
        package let type: String
        /// `nil` if there is only what is compressed.
        package fileprivate(set) var plain: Content?
        /// The content of the file NAME.gz, which says the same in the form of gzip.
        package fileprivate(set) var compressed: Content?
    }

    package struct Content: Sendable {
        /// Changes with the bytes, and so is another one for a file that is compressed (RFC 9110, 8.8.3).
        package let tag: String
        /// The same bytes, which all answers share.
        let buffer: ByteBuffer

        package var bytes: [UInt8] { Array(buffer.readableBytesView) }

        init(_ bytes: [UInt8]) { (buffer, tag) = (ByteBuffer(bytes: bytes), "\"\(StaticFiles.hash(bytes))\"") }
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
    /// The most bytes of one file; a larger file is not served.
    private static let sizeLimit = 16 << 20

    package init() {}

    package subscript(path: String) -> File? { files[path] }

    /// Adds the files of a folder and of the folders in it. Of two that are NAME and NAME.gz, the second is the first
    /// compressed.
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
                let type = Self.type(of: name)
            {
                guard let bytes = Self.content(of: path) else {
                    throw Failure(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
                }
                let address = prefix + Self.withoutGzip(name)
                let member = name.hasSuffix(".gz") ? \File.compressed : \File.plain
                files[address, default: File(type: type)][keyPath: member] = Content(bytes)
            }
        }
    }

    private static func withoutGzip(_ name: String) -> String {
        name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    }

    private static func type(of name: String) -> String? {
        withoutGzip(name).split(separator: ".").last.flatMap { types[String($0)] }
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
