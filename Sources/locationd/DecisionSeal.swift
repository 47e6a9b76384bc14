import Glibc

/// The mark that there has been a file of decisions: one that is gone is then no sign of a first start, and to take it for one
/// would let in whom an administrator has denied.
struct DecisionSeal: Sendable {
    let path: String

    /// - Parameter directory: the state directory.
    init(directory: String) {
        path = directory + "/decisions.mark"
    }

    /// Anything but the system's word that there is none counts as one.
    var isSet: Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT
    }

    /// Sets it where a power failure leaves it. An empty file needs no room on a full disk.
    /// - Returns: the system's number of what failed, or 0.
    func set() -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let directory = open(
            String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return errno }
        defer { close(directory) }
        return fsync(descriptor) == 0 && fsync(directory) == 0 ? 0 : errno
    }
}
