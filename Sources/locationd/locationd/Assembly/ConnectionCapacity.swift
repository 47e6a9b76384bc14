import Glibc

/// The number of connections that resources suffice for. The daemon refuses more, because it would run out of
/// descriptors or be killed for its memory.
enum ConnectionCapacity {
    /// The connection itself, and the pidfd of its process.
    private static let descriptorsEach = 2
    /// 128 for 64 connections that are being refused, the others for sources, files and the daemon's own use.
    private static let reservedDescriptors = 256
    /// The kernel buffers up to 113 KiB for a client that does not read, charged to the daemon, and keeps them when the
    /// daemon is gone. A partly received call takes up to 64 KiB, what the kernel does not take of a batch of locations
    /// up to 48, and the client's state takes the rest.
    private static let bytesEach = 240 << 10
    /// More than a daemon without clients has ever mapped, its program included.
    private static let reservedBytes = 32 << 20

    /// The number of connections; at least one.
    /// - Parameters:
    ///   - descriptors: the process's limit of descriptors.
    ///   - memory: the process's limit of memory, bytes; `nil` for no limit.
    static func connections(descriptors: Int, memory: Int?) -> Int {
        let described = (descriptors - reservedDescriptors) / descriptorsEach
        let remembered = memory.map { ($0 - reservedBytes) / bytesEach } ?? .max
        return max(1, min(described, remembered))
    }
}

/// The process's limit of descriptors.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one.
    /// - Returns: the limit that applies now.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let raised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: raised ? limit.rlim_max : soft)
    }
}

/// The memory limit of the process's control groups, of either version.
enum MemoryLimit {
    /// A group without a limit has none in the file or, in version 1, a number of this size.
    private static let boundless = 1 << 60

    /// The lowest limit of its groups, bytes; `nil` if there is none, or none that can be read.
    ///
    /// - Parameters:
    ///   - membership: the content of /proc/self/cgroup; see cgroups(7).
    ///   - root: the directory where the hierarchies are mounted.
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

    /// A group is also subject to the limits of all groups above it, so the lowest of them is returned.
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

    /// The content of a file; empty if it cannot be read.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
