import Glibc

/// How many connections there is room for: over it the daemon refuses, lest the system end it, or let it starve.
enum ConnectionCapacity {
    /// The connection itself, and the process that made it.
    private static let descriptorsEach = 2
    /// 128 for 64 connections that are being refused, the others for sources, the disk and the daemon's own.
    private static let descriptorsKept = 256
    /// The kernel holds up to 113 KiB for one who does not read, on the daemon's account, and keeps them when the daemon
    /// is gone; a call in parts has up to 64 KiB, and what is known of a client takes the rest.
    private static let bytesEach = 192 << 10
    /// Twice what a daemon without clients has.
    private static let bytesKept = 64 << 20

    /// At least one.
    /// - Parameters:
    ///   - descriptors: how many the process may have.
    ///   - memory: bytes the process may have; `nil` for no limit.
    static func connections(descriptors: Int, memory: Int?) -> Int {
        let described = (descriptors - descriptorsKept) / descriptorsEach
        let remembered = memory.map { ($0 - bytesKept) / bytesEach } ?? .max
        return max(1, min(described, remembered))
    }
}

/// How many descriptors the process may have; each client costs one.
enum DescriptorLimit {
    /// Raises the limit to the hard one.
    /// - Returns: how many there may be now.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let raised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: raised ? limit.rlim_max : soft)
    }
}

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
