import Glibc

/// How much memory the control groups of the process allow, whichever version they are of.
enum MemoryLimit {
    /// A group without a limit says nothing or, in version 1, a number of this size.
    private static let boundless = 1 << 60

    /// The least limit of its groups, bytes; `nil` if there is none, or none that can be read.
    ///
    /// - Parameters:
    ///   - membership: as /proc/self/cgroup has it; see cgroups(7).
    ///   - root: where the hierarchies are mounted.
    static func bytes(membership: String = text(of: "/proc/self/cgroup"), root: String = "/sys/fs/cgroup") -> Int? {
        membership.split(separator: "\n").compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            let path = String(parts[2])
            if parts[1].isEmpty {
                return [root, root + "/unified"].compactMap { least("memory.max", above: path, in: $0) }.min()
            }
            guard parts[1].split(separator: ",").contains("memory") else { return nil }
            return least("memory.limit_in_bytes", above: path, in: root + "/memory")
        }.min()
    }

    /// What a group is allowed, all those around it are asked for as well.
    private static func least(_ file: String, above path: String, in hierarchy: String) -> Int? {
        var folders = path.split(separator: "/")
        var least: Int?
        while true {
            let text = text(of: ([hierarchy[...]] + folders + [file[...]]).joined(separator: "/"))
            if let limit = Int(text.filter { !$0.isWhitespace }), limit < min(least ?? .max, boundless) {
                least = limit
            }
            guard folders.popLast() != nil else { return least }
        }
    }

    /// Empty where there is nothing to be read.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
