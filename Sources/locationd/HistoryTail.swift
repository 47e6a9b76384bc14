import Glibc

/// The end of the history's file, open for lines to be added.
struct HistoryTail: ~Copyable {
    /// How long the file is, bytes.
    private(set) var length: Int
    /// True if the last line has no end: the power went while it was written.
    private var isTorn: Bool
    private let path: String
    private let descriptor: Int32
    private let disk: HistoryDisk

    /// - Returns: `nil` if there is no such file.
    static func open(_ path: String, disk: HistoryDisk) throws(HistoryFailure) -> HistoryTail? {
        let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("write", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw HistoryFailure("cannot write \(path): it is no regular file")
        }
        // It tells who is where when; a copy put back by hand may be open to all.
        if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        return HistoryTail(path: path, descriptor: descriptor, length: Int(status.st_size), disk: disk)
    }

    private init(path: String, descriptor: Int32, length: Int, disk: HistoryDisk) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
        self.disk = disk
        var last: UInt8 = 0
        isTorn = length > 0 && !(pread(descriptor, &last, 1, length - 1) == 1 && last == 0x0A)
    }

    deinit { close(descriptor) }

    /// How many bytes the file grows by a line.
    func growth(by line: [UInt8]) -> Int {
        line.count + (isTorn ? 2 : 1)
    }

    /// Adds a line, in one system call where the disk takes it; a half-written one is taken back.
    mutating func append(_ line: [UInt8]) throws(HistoryFailure) {
        let bytes = (isTorn ? [0x0A] : []) + line + [0x0A]
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { disk.write(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = HistoryFailure.system("write", path)
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

    /// Waits until the disk has everything.
    func force() throws(HistoryFailure) {
        guard disk.force(descriptor) == 0 else { throw .system("write", path) }
    }
}
