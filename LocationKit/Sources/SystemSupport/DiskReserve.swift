import Glibc

/// Reserves disk space for data that has to be written even when the disk is full: a file of zeros, which is removed
/// when the space is needed.
@_spi(Programs) public struct DiskReserve: Sendable {
    private let path: String

    /// - Parameter path: the file that reserves the space.
    @_spi(Programs) public init(path: String) {
        self.path = path
    }

    /// Reserves this many bytes, unless the file has that size already. If the disk has no room there is no reserve.
    @_spi(Programs) public func make(bytes: Int) {
        var status = stat()
        if stat(path, &status) == 0, Int(status.st_size) >= bytes { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let code = posix_fallocate(descriptor, 0, off_t(bytes))
        close(descriptor)
        if code != 0 { unlink(path) }
    }

    /// Releases the space.
    /// - Returns: false if there was no reserve.
    @_spi(Programs) public func release() -> Bool { unlink(path) == 0 }
}
