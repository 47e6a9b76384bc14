import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The file of the audit: one record a line in the order of recording, limited in length and age.
struct AuditFile: Sendable {
    let path: String
    var disk = AuditDisk()

    /// The result of scanning the file.
    struct Findings {
        var isShortened = false
        /// Lines that are no valid records.
        var unreadable = 0
    }

    /// Removes records that are too old. If there would still be no room for `room` more bytes, it keeps only the
    /// newest records, those that fit in three quarters of the size, so that this does not recur soon.
    @discardableResult
    func compact(to limits: AuditLimits, room: Int = 0, at now: UTCTime) throws(AuditFailure) -> Findings {
        var findings = Findings()
        guard var lines = try AuditLines.open(path, within: limits.size) else { return findings }
        let isOverfull = lines.length + room > limits.size
        let budget = isOverfull ? min(limits.size / 4 * 3, limits.size - room) : limits.size
        var size = 0
        var newest: [(line: [UInt8], time: UTCTime)] = []
        while let line = try lines.previous() {
            guard case .text(let line) = line, let record = AuditRecord(line: line) else {
                findings.unreadable += 1
                continue
            }
            size += line.count + 1
            guard size <= budget else { break }
            newest.append((line, record.time))
        }
        newest.reverse()
        let retention = AuditRetention(days: limits.days)
        let first = retention.firstRetained(of: newest.map(\.time), at: now)
        guard isOverfull || first > 0 else { return findings }
        try replace(with: newest[first...].flatMap { $0.line + [0x0A] })
        findings.isShortened = true
        return findings
    }

    /// Opens the end of the file, which is created if there is none; the directory entry is then synced too.
    func tail() throws(AuditFailure) -> AuditTail {
        if let tail = try AuditTail.open(path, disk: disk) { return tail }
        try replace(with: [])
        guard let tail = try AuditTail.open(path, disk: disk) else { throw .system("write", path) }
        return tail
    }

    /// The newest records that satisfy the condition, oldest first.
    /// - Parameters:
    ///   - size: the bytes at the end of the file that are searched.
    ///   - isOver: the search ends before the first record for which it is true.
    func newest(
        _ limit: Int, within size: Int = AuditLimits.sizes.upperBound, where condition: (AuditRecord) -> Bool,
        until isOver: (AuditRecord) -> Bool = { _ in false }
    ) throws(AuditFailure) -> [AuditRecord] {
        guard limit > 0, var lines = try AuditLines.open(path, within: size) else { return [] }
        var records: [AuditRecord] = []
        while records.count < limit, let line = try lines.previous() {
            guard case .text(let line) = line, let record = AuditRecord(line: line) else { continue }
            if isOver(record) { break }
            if condition(record) { records.append(record) }
        }
        return records.reversed()
    }

    private func replace(with bytes: [UInt8]) throws(AuditFailure) {
        do {
            try AtomicFile(path: path).replace(with: bytes)
        } catch {
            throw AuditFailure("\(error)")
        }
    }
}

/// Reads a file line by line from its end, so that the newest records come first; in pieces, so that a file of any
/// length takes little memory, and only so much of it as the audit may be long, so that it takes little time.
struct AuditLines: ~Copyable {
    private static let pieceSize = 65_536

    /// The file's length when it was opened, bytes; what is appended later is not read.
    let length: Int
    private let path: String
    private let descriptor: Int32
    /// The offset in the file before which nothing is read.
    private let floor: Int
    /// The offset of the buffer in the file.
    private var start: Int
    /// Bytes that were read and not returned yet.
    private var buffer: [UInt8] = []

    /// - Parameter size: the bytes at the end of the file that are read.
    /// - Returns: `nil` if there is no such file.
    static func open(_ path: String, within size: Int) throws(AuditFailure) -> AuditLines? {
        // O_NONBLOCK, because opening something other than a regular file could block.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("read", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw AuditFailure("cannot read \(path): it is not a regular file")
        }
        return AuditLines(path: path, descriptor: descriptor, length: Int(status.st_size), size: size)
    }

    private init(path: String, descriptor: Int32, length: Int, size: Int) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
        floor = max(0, length - size)
        start = length
    }

    deinit { close(descriptor) }

    enum Line {
        case text([UInt8])
        /// Longer than any record.
        case overlong
    }

    /// - Returns: the line before the last one returned, without empty lines; `nil` at the beginning of what is read,
    ///   where a line may be cut off.
    mutating func previous() throws(AuditFailure) -> Line? {
        var isOverlong = false
        while true {
            let end = buffer.withUnsafeBytes(Self.lastLineEnd)
            if end == nil, start > floor {
                if buffer.count > AuditRecord.longestLine {
                    isOverlong = true
                    buffer = []
                }
                try readPiece()
                continue
            }
            let line = Array(buffer[(end.map { $0 + 1 } ?? 0)...])
            buffer.removeSubrange((end ?? 0)...)
            if isOverlong || line.count > AuditRecord.longestLine { return .overlong }
            if end == nil, floor > 0 { return nil }
            if !line.isEmpty { return .text(line) }
            if end == nil { return nil }
        }
    }

    /// A hand-written loop: the generic search dominates the time for a long file.
    private static func lastLineEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        var index = bytes.count
        while index > 0 {
            index -= 1
            if bytes[index] == 0x0A { return index }
        }
        return nil
    }

    /// Prepends the preceding piece of the file to the buffer.
    private mutating func readPiece() throws(AuditFailure) {
        let size = min(Self.pieceSize, start - floor)
        var piece = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let offset = start - size + filled
            let count = piece[filled...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read", path) }
            // The file was shortened meanwhile.
            if count == 0 { break }
            filled += count
        }
        start -= size
        buffer = piece.prefix(filled) + buffer
    }
}

/// The end of the audit's file, open for appending.
struct AuditTail: ~Copyable {
    /// The file's length, bytes.
    private(set) var length: Int
    /// True if the last line has no newline: a power failure interrupted its write.
    private var isTorn: Bool
    private let path: String
    private let descriptor: Int32
    private let disk: AuditDisk

    /// - Returns: `nil` if there is no such file.
    static func open(_ path: String, disk: AuditDisk) throws(AuditFailure) -> AuditTail? {
        let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("write", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw AuditFailure("cannot write \(path): it is not a regular file")
        }
        // The audit shows who was where and when; a restored copy may be readable for everyone.
        if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        return AuditTail(path: path, descriptor: descriptor, length: Int(status.st_size), disk: disk)
    }

    private init(path: String, descriptor: Int32, length: Int, disk: AuditDisk) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
        self.disk = disk
        var last: UInt8 = 0
        isTorn = length > 0 && !(pread(descriptor, &last, 1, length - 1) == 1 && last == 0x0A)
    }

    deinit { close(descriptor) }

    /// The number of bytes by which a line makes the file longer.
    func growth(by line: [UInt8]) -> Int {
        line.count + (isTorn ? 2 : 1)
    }

    /// Appends a line, in one system call if the disk accepts it; a partly written line is removed again.
    mutating func append(_ line: [UInt8]) throws(AuditFailure) {
        let bytes = (isTorn ? [0x0A] : []) + line + [0x0A]
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { disk.write(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = AuditFailure.system("write", path)
                if written > 0, ftruncate(descriptor, length) != 0 {
                    length += written
                    isTorn = true
                }
                throw failure
            }
            written += count
        }
        length += written
        isTorn = false
    }

    /// Syncs the file to the disk.
    func force() throws(AuditFailure) {
        guard disk.force(descriptor) == 0 else { throw .system("write", path) }
    }
}

/// The system calls that append to the audit; tests replace them with a full or a recording disk.
struct AuditDisk: Sendable {
    /// Behaves as `write`.
    var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }
    /// Behaves as `fsync`.
    var force: @Sendable (Int32) -> Int32 = { fsync($0) }
}

/// Why the audit cannot be written or read, in words.
struct AuditFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Made from the errno of the last failed call.
    static func system(_ verb: String, _ path: String) -> Self {
        Self("cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
