import Glibc

/// A small file that is replaced as a whole or not at all, whatever happens meanwhile.
struct AtomicFile: Sendable {
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes beside the file, forces it to the disk, and renames. Only the daemon's user may read it.
    ///
    /// - Throws: what failed, in words; the old content is then still there.
    func replace(with bytes: [UInt8]) throws(Failure) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("write", temporary) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw discard(temporary, failure("write", temporary)) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw discard(temporary, failure("write", temporary)) }
        guard rename(temporary, path) == 0 else { throw discard(temporary, failure("replace", path)) }
        syncDirectory()
    }

    /// - Returns: `nil` if there is no such file.
    /// - Throws: why it cannot be read, in words.
    func content(limit: Int = 65_536) throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = bytes[filled...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes.prefix(filled))
    }

    /// The rename is on the disk only once the directory is.
    private func syncDirectory() {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func discard(_ temporary: String, _ failure: Failure) -> Failure {
        unlink(temporary)
        return failure
    }

    private func failure(_ verb: String, _ path: String) -> Failure {
        Failure(description: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
