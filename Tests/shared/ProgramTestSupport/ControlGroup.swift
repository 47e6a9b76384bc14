import Glibc
import Synchronization

/// A control group of the unified hierarchy that a test makes; it goes with its last object.
///
/// Whoever runs in it is to be gone, or about to go, by then.
package final class ControlGroup: Sendable {
    /// Where the unified hierarchy is mounted.
    package static let root = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
        access("\($0)/cgroup.controllers", F_OK) == 0
    }

    /// Whether this process may make groups.
    package static var isPossible: Bool {
        root.map { getuid() == 0 && access("\($0)/cgroup.procs", W_OK) == 0 } ?? false
    }

    private struct Directories {
        /// Those that tests have made, which go when they are empty.
        var made: Set<String> = []
        /// How many objects each path has.
        var uses: [String: Int] = [:]
    }

    private static let directories = Mutex(Directories())

    package let path: String

    /// - Parameter place: the path from the root of the hierarchy, such as `system.slice/example.service`.
    package init(_ place: String) throws {
        guard let root = Self.root else { throw Failure("no unified hierarchy of control groups") }
        path = "\(root)/\(place)"
        let way = Self.way(to: path)
        try Self.directories.withLock { directories in
            var tries = 0
            // Tests of another process may take away a slice that both share, before there is anything in it.
            while true {
                let isMade = way.allSatisfy { directory in
                    guard mkdir(directory, 0o755) == 0 else { return errno == EEXIST }
                    directories.made.insert(directory)
                    return true
                }
                if isMade { break }
                tries += 1
                guard errno == ENOENT, tries < 100 else {
                    throw Failure("no control group \(place): \(String(cString: strerror(errno)))")
                }
            }
            directories.uses[path, default: 0] += 1
        }
    }

    deinit {
        Self.directories.withLock { directories in
            let others = directories.uses[path, default: 1] - 1
            directories.uses[path] = others > 0 ? others : nil
            guard others == 0 else { return }
            waitUntilEmpty()
            for directory in Self.way(to: path).reversed() where directories.made.contains(directory) {
                if rmdir(directory) == 0 { directories.made.remove(directory) }
            }
        }
    }

    /// The directories on the way to a path, from the root of the hierarchy.
    private static func way(to path: String) -> [String] {
        guard let root else { return [] }
        var directory = root
        return path.dropFirst(root.count).split(separator: "/").map { name in
            directory += "/\(name)"
            return directory
        }
    }

    /// The kernel tells a change of the events by an exceptional condition of their file.
    private func waitUntilEmpty() {
        let file = open("\(path)/cgroup.events", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 256)
        while true {
            let count = pread(file, &text, text.count, 0)
            guard count > 0, String(decoding: text[..<count], as: UTF8.self).contains("populated 1") else { return }
            var entry = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
            guard poll(&entry, 1, 10_000) > 0 else { return }
        }
    }
}
