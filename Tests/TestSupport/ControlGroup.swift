import Glibc
import Synchronization

/// A control group of the unified hierarchy that a test makes; it goes, with all that runs in it, when its object does.
package final class ControlGroup: Sendable {
    /// Where the unified hierarchy is mounted.
    package static let root = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
        access("\($0)/cgroup.controllers", F_OK) == 0
    }

    /// Whether this process may make groups.
    package static var isPossible: Bool {
        root.map { getuid() == 0 && access("\($0)/cgroup.procs", W_OK) == 0 } ?? false
    }

    /// The directories that tests have made, which go when they are empty.
    private static let made = Mutex<Set<String>>([])

    package let path: String

    /// - Parameter place: the path from the root of the hierarchy, such as `system.slice/example.service`.
    package init(_ place: String) throws {
        guard let root = Self.root else { throw Failure("no unified hierarchy of control groups") }
        path = "\(root)/\(place)"
        let directories = Self.directories(of: path)
        try Self.made.withLock { made in
            var tries = 0
            // Tests of another process may take away a slice that both share, before there is anything in it.
            while true {
                let isMade = directories.allSatisfy { directory in
                    if mkdir(directory, 0o755) == 0 { made.insert(directory) } else if errno != EEXIST { return false }
                    return true
                }
                if isMade { return }
                tries += 1
                guard errno == ENOENT, tries < 100 else {
                    throw Failure("no control group \(place): \(String(cString: strerror(errno)))")
                }
            }
        }
    }

    deinit {
        Self.write("1", to: "\(path)/cgroup.kill")
        waitUntilEmpty()
        Self.made.withLock { made in
            for directory in Self.directories(of: path).reversed() where made.contains(directory) {
                if rmdir(directory) == 0 { made.remove(directory) }
            }
        }
    }

    private static func directories(of path: String) -> [String] {
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

    private static func write(_ text: String, to path: String) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = Glibc.write(file, text, text.utf8.count)
    }
}
