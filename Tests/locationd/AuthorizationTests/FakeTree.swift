import Glibc
import ProgramTestSupport

/// A folder that looks like the root of the unified hierarchy.
final class FakeTree: Sendable {
    private let folder: TemporaryFolder

    var path: String { folder.path }

    /// - Parameter groups: paths of directories to be made, those above included.
    init(_ groups: [String] = []) throws {
        folder = try TemporaryFolder()
        try makeFile("cgroup.controllers")
        try makeFile("cgroup.procs")
        for group in groups { try make(group) }
    }

    func make(_ group: String) throws {
        var path = folder.path
        for name in group.split(separator: "/") {
            path += "/\(name)"
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw Failure("no folder \(path)") }
        }
    }

    func makeFile(_ name: String) throws {
        let file = open(folder(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Failure("no file \(name)") }
        close(file)
    }

    func remove(_ group: String) {
        rmdir(folder(group))
    }

    func rename(_ group: String, to other: String) {
        Glibc.rename(folder(group), folder(other))
    }

    /// The number of a group.
    func number(_ group: String) throws -> UInt64 {
        var status = stat()
        guard lstat(folder(group), &status) == 0 else { throw Failure("no folder \(group)") }
        return UInt64(status.st_ino)
    }
}
