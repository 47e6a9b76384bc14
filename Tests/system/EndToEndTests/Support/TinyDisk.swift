import Foundation
import Glibc
import ProgramTestSupport

/// A file system of 64 KiB on a folder.
final class TinyDisk {
    private let path: String

    /// - Returns: `nil` where mounting is not allowed.
    init?(on path: String) throws {
        self.path = path
        guard try LoggedProcess("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "none", path]).wait() == 0 else {
            return nil
        }
    }

    deinit { _ = try? LoggedProcess("umount", ["-l", path]).wait() }

    /// Takes all the room that is left, by a file of the folder.
    /// - Returns: the file's path.
    @discardableResult
    static func fill(_ folder: String) throws -> String {
        let path = folder + "/filler"
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure("no filler: \(errno)") }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0, count: 1024)
        while write(file, bytes, bytes.count) > 0 {}
        return path
    }
}
