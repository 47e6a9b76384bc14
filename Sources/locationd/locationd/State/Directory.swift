import Glibc

/// A directory of the daemon, created if it is missing.
enum Directory {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter mayBeReadOnly: whether a read-only file system is accepted. It may have become read-only after a
    ///   disk error, and clients should still receive locations then.
    /// - Throws: why it cannot be used, and the next step, in words.
    static func prepare(
        _ path: String, mode: mode_t, flag: String, mayBeReadOnly: Bool = false
    ) throws(Failure) {
        if mkdir(path, mode) != 0, errno != EEXIST { throw failure("make", path, flag) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("examine", path, flag) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(description: "\(path) is not a directory; choose another by \(flag)")
        }
        guard access(path, W_OK | X_OK) == 0 || mayBeReadOnly && errno == EROFS else {
            throw failure("write to", path, flag)
        }
    }

    /// Rejects a directory in which other users could place files that the daemon trusts.
    ///
    /// - Throws: which users could, and the next step, in words.
    static func checkOwner(_ path: String) throws(Failure) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        if let fault = Ownership.fault(of: status) {
            throw Failure(description: "\(path) \(fault); otherwise another user could authorize any program")
        }
    }

    /// Locks the directory, so that no other daemon keeps its state there, until the descriptor is closed.
    ///
    /// - Throws: that another process holds the lock, in words.
    static func lock(_ path: String) throws(Failure) -> Int32 {
        var descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0, [EROFS, ENOSPC, EDQUOT].contains(errno) {
            // No file can be created. Locking the directory itself works as well, except on a network file system.
            descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw failure("lock", path, "--state-directory") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Failure(
                description: "another locationd uses \(path), or is still shutting down; "
                    + "stop it, or choose another directory by --state-directory")
        }
        return descriptor
    }

    private static func failure(_ verb: String, _ path: String, _ flag: String) -> Failure {
        Failure(
            description: "cannot \(verb) the directory \(path): \(String(cString: strerror(errno))); "
                + "choose another by \(flag), or run as a user who may")
    }
}

/// Checks who could change a file or directory that the daemon trusts.
enum Ownership {
    /// - Returns: `nil` if only root and the daemon's user could; else who could, as the end of a sentence with a
    ///   remedy.
    static func fault(of status: stat) -> String? {
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            return "belongs to uid \(status.st_uid) (remedy: `chown \(geteuid())` it)"
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            return "may be changed by others (remedy: `chmod go-w` it)"
        }
        return nil
    }
}
