import FoundationEssentials
import Glibc
@_spi(Programs) package import LocationModel

/// Formats a watch's updates as the lines of a recording. It does no I/O: the caller writes the bytes.
package struct RecordingWriter: Sendable {
    private let encoder: JSONEncoder

    package init() {
        encoder = JSONEncoder()
        // The same order in every run, so that recordings can be compared as text.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// The first line, with its line feed.
    package func header(created: UTCTime) -> [UInt8] {
        let (format, version) = (RecordingHeader.format, RecordingHeader.currentVersion)
        return Array(#"{"format":"\#(format)","version":\#(version),"created":"\#(created)"}"#.utf8) + [0x0A]
    }

    /// A further line, with its line feed.
    /// - Throws: ``RecordingError/unwritable(_:)`` if a number is not finite.
    package func line(for entry: RecordingEntry) throws(RecordingError) -> [UInt8] {
        do {
            return Array(try encoder.encode(entry)) + [0x0A]
        } catch {
            throw .unwritable(describe(error))
        }
    }
}

/// A regular file that is read from its beginning to its end, one block at a time.
struct RecordingFile: ~Copyable {
    private let descriptor: Int32

    private static let blockSize = 64 * 1024

    init(path: String) throws(RecordingError) {
        descriptor = try Self.descriptor(of: path)
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes; none at the end.
    func block() throws(RecordingError) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.blockSize) { buffer, initialized in
                count = read(descriptor, buffer.baseAddress, buffer.count)
                initialized = max(0, count)
            }
            if count >= 0 { return bytes }
            guard errno == EINTR else { throw .unreadable(Self.reason) }
        }
    }

    private static func descriptor(of path: String) throws(RecordingError) -> Int32 {
        // Not blocking, because opening a FIFO would otherwise wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(reason) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable("not a regular file")
        }
        return descriptor
    }

    // glibc's strerror is thread-safe since 2.32.
    private static var reason: String { String(cString: strerror(errno)) }
}
