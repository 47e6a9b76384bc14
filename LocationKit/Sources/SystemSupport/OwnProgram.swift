import Glibc

/// The file of this process's program.
@_spi(Programs) public enum OwnProgram {
    /// Its folder; `nil` without /proc.
    @_spi(Programs) public static var folder: String? {
        file.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    }

    /// Its name, at most so many bytes; `nil` without /proc.
    @_spi(Programs) public static func name(limit: Int) -> String? {
        guard let name = file?.split(separator: "/").last else { return nil }
        var short = name
        while short.utf8.count > limit { short.removeLast() }
        return short.isEmpty ? nil : String(short)
    }

    private static var file: String? {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return nil }
        return String(decoding: path[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}
