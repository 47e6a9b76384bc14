import Glibc
import LocationInterface

/// Reads a file line by line from its end, so that the newest are found first; in pieces, so that a file of any length
/// takes little memory.
struct HistoryLines: ~Copyable {
    private static let pieceSize = 65_536

    /// How long the file is, bytes; what is appended later is not read.
    let length: Int
    private let path: String
    private let descriptor: Int32
    /// Where in the file the buffer begins.
    private var start: Int
    /// What was read and not yet told.
    private var buffer: [UInt8] = []

    /// - Returns: `nil` if there is no such file.
    static func open(_ path: String) throws(HistoryFailure) -> HistoryLines? {
        // Opening what is no regular file could wait for somebody.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("read", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw HistoryFailure("cannot read \(path): it is no regular file")
        }
        return HistoryLines(path: path, descriptor: descriptor, length: Int(status.st_size))
    }

    private init(path: String, descriptor: Int32, length: Int) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
        start = length
    }

    deinit { close(descriptor) }

    enum Line {
        case text([UInt8])
        /// Longer than any record.
        case overlong
    }

    /// - Returns: the line before the last one returned; empty lines are none. `nil` at the beginning of the file.
    mutating func previous() throws(HistoryFailure) -> Line? {
        var isOverlong = false
        while true {
            let end = buffer.withUnsafeBytes(Self.lastLineEnd)
            if end == nil, start > 0 {
                if buffer.count > HistoryRecord.longestLine {
                    isOverlong = true
                    buffer = []
                }
                try readPiece()
                continue
            }
            let line = Array(buffer[(end.map { $0 + 1 } ?? 0)...])
            buffer.removeSubrange((end ?? 0)...)
            if isOverlong || line.count > HistoryRecord.longestLine { return .overlong }
            if !line.isEmpty { return .text(line) }
            if end == nil { return nil }
        }
    }

    /// By hand: in a long file the generic search is what takes the time.
    private static func lastLineEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        var index = bytes.count
        while index > 0 {
            index -= 1
            if bytes[index] == 0x0A { return index }
        }
        return nil
    }

    /// Puts the piece of the file before the buffer in front of it.
    private mutating func readPiece() throws(HistoryFailure) {
        let size = min(Self.pieceSize, start)
        var piece = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let offset = start - size + filled
            let count = piece[filled...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read", path) }
            // Somebody has shortened it meanwhile.
            if count == 0 { break }
            filled += count
        }
        start -= size
        buffer = piece.prefix(filled) + buffer
    }
}
