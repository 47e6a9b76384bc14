import Glibc

/// The file of this process's program.
@_spi(Programs) public enum OwnProgram {
    /// Its folder; `nil` without /proc.
    @_spi(Programs) public static var folder: String? {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0, let slash = path[..<count].lastIndex(of: CChar(UInt8(ascii: "/"))) else {
            return nil
        }
        return String(decoding: path[..<slash].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}
