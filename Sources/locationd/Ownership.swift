import Glibc

/// Who could change a file or directory that the daemon believes.
enum Ownership {
    /// - Returns: `nil` if only root and the daemon's user could; else who, as the end of a sentence with a remedy.
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
