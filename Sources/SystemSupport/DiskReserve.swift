import Glibc

/// Room on a disk that is kept for what has to be written even when the disk is full: a file of zeros, which is removed
/// then.
package struct DiskReserve: Sendable {
    private let path: String

    /// - Parameter path: of the file that takes the room.
    package init(path: String) {
        self.path = path
    }

    /// Takes so many bytes, unless that many are taken already. Without room for it there is no reserve.
    package func make(bytes: Int) {
        var status = stat()
        if stat(path, &status) == 0, Int(status.st_size) >= bytes { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let code = posix_fallocate(descriptor, 0, off_t(bytes))
        close(descriptor)
        if code != 0 { unlink(path) }
    }

    /// Gives the room back.
    /// - Returns: false if there was none.
    package func release() -> Bool { unlink(path) == 0 }
}
